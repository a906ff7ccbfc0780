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

{{/* Neither given nor by cert-manager: a Job of the chart makes the certificates. */}}
{{- define "bourse.makesCertificates" -}}
{{- $certificates := .Values.http.certificates -}}
{{- if and .Values.http.enabled (not $certificates.secretName) (not $certificates.certManager.enabled) }}true{{ end -}}
{{- end -}}

{{/* A Secret with an operator's certificate is there: the Job or our issuer of cert-manager makes it. */}}
{{- define "bourse.hasOperator" -}}
{{- $manager := .Values.http.certificates.certManager -}}
{{- if or (include "bourse.makesCertificates" .) (and .Values.http.enabled (not .Values.http.certificates.secretName) $manager.enabled (not $manager.issuerRef.name)) }}true{{ end -}}
{{- end -}}

{{/* Of the Job and its account; a CronJob has at most 52 characters. */}}
{{- define "bourse.certificates" -}}
{{- printf "%s-certificates" (include "bourse.name" . | trunc 39 | trimSuffix "-") -}}
{{- end -}}

{{/* `bourse login` and `bourse ca` know these names: apps/cli/src/release/release.ts. */}}
{{- define "bourse.secrets" -}}
{{- $name := include "bourse.name" . -}}
{{- list (printf "%s-ca" $name) (printf "%s-certificates" $name) (printf "%s-operator" $name) | toYaml -}}
{{- end -}}

{{/* Other labels than those of brokers, whose Services and policies must not select its pods. */}}
{{- define "bourse.certificatesSelector" -}}
app.kubernetes.io/name: bourse-certificates
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "bourse.certificatesLabels" -}}
{{ include "bourse.certificatesSelector" . }}
app.kubernetes.io/part-of: bourse
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* By what names clusters, operators by port-forward and people outside reach the broker. */}}
{{- define "bourse.names" -}}
{{- $name := include "bourse.name" . -}}
{{- $inside := printf "%s.%s" $name .Release.Namespace -}}
{{- $names := list $name $inside (printf "%s.svc" $inside) (printf "%s.svc.cluster.local" $inside) -}}
{{- with .Values.http.publicURL }}{{ $names = append $names (get (urlParse .) "hostname") }}{{ end -}}
{{- concat $names .Values.http.certificates.names | uniq | join "," -}}
{{- end -}}

{{- define "bourse.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "bourse.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "bourse.certificatesPod" -}}
metadata:
  labels: {{- include "bourse.certificatesSelector" . | nindent 4 }}
spec:
  serviceAccountName: {{ include "bourse.certificates" . }}
  restartPolicy: OnFailure
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext: {{- include "bourse.podSecurity" . | nindent 4 }}
  containers:
    - name: certificates
      image: {{ include "bourse.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - ca
        - renew
        - --release={{ .Release.Namespace }}/{{ include "bourse.name" . }}
        - --names={{ include "bourse.names" . }}
      securityContext: {{- include "bourse.containerSecurity" . | nindent 8 }}
      resources:
        requests: {cpu: 50m, memory: 96Mi}
        limits: {memory: 256Mi}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
  volumes:
    # Keys are never on a disk of the node.
    - name: tmp
      emptyDir: {medium: Memory, sizeLimit: 16Mi}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Names and the API server: what every pod of ours asks for. */}}
{{- define "bourse.kubernetesEgress" -}}
- ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
  {{- with .Values.networkPolicy.dnsTo }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
- ports:
    {{- range .Values.networkPolicy.apiServerPorts }}
    - port: {{ . }}
    {{- end }}
  {{- with .Values.networkPolicy.apiServerTo }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
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
{{- if and $certificates.names (not (include "bourse.makesCertificates" .)) -}}
{{- fail "http.certificates.names is for certificates that the chart's Job makes: with cert-manager use http.certificates.certManager.dnsNames, otherwise issue the certificate for these names" -}}
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
