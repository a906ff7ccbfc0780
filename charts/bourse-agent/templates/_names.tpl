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
{{- if not .Values.broker.url -}}
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
