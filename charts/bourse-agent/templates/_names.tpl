{{- define "bourse.name" -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "bourse.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "bourse.name" .) -}}
{{- end -}}

{{- define "bourse.selector" -}}
app.kubernetes.io/name: bourse-agent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "bourse.labels" -}}
{{ include "bourse.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: bourse
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "bourse.image" -}}
{{- $ref := ternary (printf "@%s" .Values.image.digest) (printf ":%s" (.Values.image.tag | default .Chart.AppVersion)) (ne .Values.image.digest "") -}}
{{- printf "%s%s" .Values.image.repository $ref -}}
{{- end -}}

{{/* What values.schema.json cannot see: values that contradict one another. */}}
{{- define "bourse.check" -}}
{{- $byObjects := eq .Values.broker.transport "kubernetes" -}}
{{- if ne $byObjects (ne .Values.broker.kubeconfigSecret "") -}}
{{- fail "broker.transport and broker.kubeconfigSecret do not match: kubernetes, and no other transport, needs a Secret with a kubeconfig of the broker's cluster" -}}
{{- end -}}
{{- if and $byObjects .Values.broker.url -}}
{{- fail "broker.url has no effect with broker.transport=kubernetes: the kubeconfig has the address" -}}
{{- end -}}
{{- if and $byObjects (eq .Values.peering "native") -}}
{{- fail "peering=native needs broker.transport=http, grpc or mqtt: agents speak with each other by way of the broker. Set peering=none or liqoctl" -}}
{{- end -}}
{{- if and $byObjects (index .Values.config "metrics-secure") -}}
{{- fail "config.metrics-secure serves the certificate of broker.certificatesSecret, which broker.transport=kubernetes does not have" -}}
{{- end -}}
{{- if not (or $byObjects .Values.broker.url) -}}
{{- fail "broker.url is missing: give the address of the broker, such as https://broker.example:8443" -}}
{{- end -}}
{{- if ne (eq .Values.broker.transport "mqtt") (hasPrefix "mqtts://" .Values.broker.url) -}}
{{- fail "broker.transport and broker.url do not match: mqtt has an address that begins with mqtts://, http and grpc have https://" -}}
{{- end -}}
{{- if ne (eq .Values.peering "liqoctl") (ne .Values.liqoctl.kubeconfigsSecret "") -}}
{{- fail "peering and liqoctl.kubeconfigsSecret do not match: liqoctl, and no other way of peering, needs a Secret with <cluster-id>.kubeconfig of each provider" -}}
{{- end -}}
{{- if and (eq .Values.peering "liqoctl") .Values.networking.address -}}
{{- fail "networking.address has no effect with peering=liqoctl: providers say where their ends are reached" -}}
{{- end -}}
{{- end -}}
