{{- define "bourse.name" -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "bourse.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "bourse.name" .) -}}
{{- end -}}

{{- define "bourse.selector" -}}
app.kubernetes.io/name: bourse-broker
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

{{- define "bourse.certificatesSecret" -}}
{{- .Values.http.certificates.secretName | default (printf "%s-certificates" (include "bourse.name" .)) -}}
{{- end -}}

{{- define "bourse.anchor" -}}
{{- printf "%s-anchor" (include "bourse.name" . | trunc 56 | trimSuffix "-") -}}
{{- end -}}

{{- define "bourse.publicURL" -}}
{{- .Values.http.publicURL | default (printf "https://%s.%s.svc:%v" (include "bourse.name" .) .Release.Namespace .Values.http.service.port) -}}
{{- end -}}

{{/* A ledger in files belongs to one broker; the others can be shared by several. */}}
{{- define "bourse.isShared" -}}
{{- if ne .Values.store.kind "sqlite" }}true{{ end -}}
{{- end -}}

{{/* What values.schema.json cannot see: values that contradict one another. */}}
{{- define "bourse.check" -}}
{{- $certificates := .Values.http.certificates -}}
{{- if and .Values.http.enabled (not $certificates.secretName) (not $certificates.certManager.enabled) -}}
{{- fail "http.enabled needs certificates: give http.certificates.secretName, or set http.certificates.certManager.enabled" -}}
{{- end -}}
{{- if and .Values.http.enabled .Values.networkPolicy.enabled (not .Values.networkPolicy.httpFrom) -}}
{{- fail "networkPolicy.httpFrom is empty: no caller could reach the REST API. Name who may, or set networkPolicy.enabled=false" -}}
{{- end -}}
{{- if and .Values.grpc.enabled (not .Values.http.enabled) -}}
{{- fail "grpc.enabled needs http.enabled: both use the certificates of http" -}}
{{- end -}}
{{- if and .Values.mqtt.url (not .Values.mqtt.certificatesSecret) -}}
{{- fail "mqtt.url needs mqtt.certificatesSecret: a Secret with tls.crt, tls.key and ca.crt" -}}
{{- end -}}
{{- if and .Values.ratesConfigMap .Values.config.rates -}}
{{- fail "give the rates once: config.rates, or ratesConfigMap to change them without a restart" -}}
{{- end -}}
{{- if and .Values.clusters.enabled (not .Values.admission.enabled) -}}
{{- fail "clusters.enabled needs admission.enabled: without its policies one cluster could speak for another" -}}
{{- end -}}
{{- if and (eq .Values.store.kind "sqlite") (gt (int .Values.replicas) 1) -}}
{{- fail "store.kind=sqlite is one broker with one volume: set replicas=1, or use store.kind=kubernetes" -}}
{{- end -}}
{{- if and (eq .Values.store.kind "postgres") (not .Values.store.postgres.secretName) -}}
{{- fail "store.kind=postgres needs store.postgres.secretName: a Secret with the key url" -}}
{{- end -}}
{{- end -}}
