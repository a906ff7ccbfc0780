{{/*
RBAC knows neither labels nor prefixes, nor what is inside an object: the right to make one Secret is the right to
make every Secret, also one that Kubernetes fills with the token of an administrator. These policies take back all
but what the agent does. They bind its service account alone, come with its roles, and cannot be left out.
*/}}
{{- define "bourse.bounds" -}}
{{- $name := include "bourse.name" . -}}
{{- $isNative := ne .Values.peering "liqoctl" -}}
{{- $liqo := index .Values.config "liqo-namespace" | default "liqo" -}}
# Secrets: those of a handshake, in tenant namespaces, never one that Kubernetes fills with a token.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ $name }}-secrets
  labels: {{- include "bourse.labels" . | nindent 4 }}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - apiGroups: [""]
        apiVersions: ["*"]
        operations: [CREATE, UPDATE, DELETE]
        resources: [secrets]
  matchConditions: {{- include "bourse.isTheAgent" . | nindent 4 }}
  variables:
    - name: subject
      expression: "request.operation == 'DELETE' ? oldObject : object"
    {{- include "bourse.isTenantNamespace" . | nindent 4 }}
  validations:
    - expression: variables.isTenantNamespace
      messageExpression: >-
        'the agent writes Secrets in tenant namespaces of Liqo only, not in ' + request.namespace
      reason: Forbidden
    - expression: >-
        variables.subject.metadata.name in ['liqo-nonce', 'liqo-signed-nonce'] ||
        (request.operation == 'DELETE' && (variables.subject.metadata.name == 'liqo-remote-certificate' ||
        variables.subject.metadata.name.startsWith('liqo-remote-certificate-')))
      messageExpression: >-
        'Secret ' + variables.subject.metadata.name + ' is not one of a handshake'
      reason: Forbidden
    - expression: >-
        request.operation == 'DELETE' || (object.type == 'Opaque' &&
        (!has(object.metadata.annotations) ||
        object.metadata.annotations.all(key, !key.startsWith('kubernetes.io/'))))
      message: the agent writes Secrets of type Opaque only, with no annotation of kubernetes.io
      reason: Forbidden
---
{{ include "bourse.binding" (list . (printf "%s-secrets" $name)) }}
---
# What is the agent's own: its Lease, the keys it has pinned, its events; of a ResourceRequest its finalizer.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ $name }}-own
  labels: {{- include "bourse.labels" . | nindent 4 }}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - apiGroups: [coordination.k8s.io]
        apiVersions: ["*"]
        operations: [CREATE, UPDATE]
        resources: [leases]
      - apiGroups: [""]
        apiVersions: ["*"]
        operations: [CREATE, UPDATE]
        resources: [configmaps]
      - apiGroups: [events.k8s.io]
        apiVersions: ["*"]
        operations: [CREATE, UPDATE]
        resources: [events]
      - apiGroups: [liqo.io]
        apiVersions: ["*"]
        operations: [UPDATE]
        resources: [resourcerequests]
  matchConditions: {{- include "bourse.isTheAgent" . | nindent 4 }}
  variables:
    - name: kind
      expression: request.resource.resource
  validations:
    - expression: variables.kind != 'leases' || object.metadata.name == '{{ $name }}'
      messageExpression: "'lease ' + object.metadata.name + ' is not the one of the agent'"
      reason: Forbidden
    - expression: variables.kind != 'configmaps' || object.metadata.name == 'bourse-peers'
      messageExpression: "'configmap ' + object.metadata.name + ' is not the one of the agent'"
      reason: Forbidden
    - expression: >-
        variables.kind != 'events' || (object.reportingController == 'bourse.dev/agent' &&
        (request.operation == 'CREATE' || oldObject.reportingController == 'bourse.dev/agent'))
      message: the agent tells events in its own name only, bourse.dev/agent
      reason: Forbidden
    - expression: >-
        variables.kind != 'resourcerequests' || (object.spec == oldObject.spec &&
        {{- include "bourse.sameMetadata" (list "labels" "{}") | nindent 8 }} &&
        {{- include "bourse.sameMetadata" (list "annotations" "{}") | nindent 8 }} &&
        {{- include "bourse.sameMetadata" (list "ownerReferences" "[]") | nindent 8 }} &&
        (has(object.metadata.finalizers) ? object.metadata.finalizers : [])
        .filter(one, one != 'resourcerequest.liqo.io/finalizer') ==
        (has(oldObject.metadata.finalizers) ? oldObject.metadata.finalizers : [])
        .filter(one, one != 'resourcerequest.liqo.io/finalizer'))
      message: of a ResourceRequest the agent changes its own finalizer and the status only
      reason: Forbidden
---
{{ include "bourse.binding" (list . (printf "%s-own" $name)) }}
---
# Nodes, pods and namespaces: borrowed nodes, what runs on them, and tenant namespaces.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ $name }}-nodes
  labels: {{- include "bourse.labels" . | nindent 4 }}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - apiGroups: [""]
        apiVersions: ["*"]
        operations: [UPDATE, DELETE]
        resources: [nodes]
      - apiGroups: [""]
        apiVersions: ["*"]
        operations: [DELETE]
        resources: [pods]
      - apiGroups: [""]
        apiVersions: ["*"]
        operations: [CREATE]
        resources: [pods/eviction, namespaces]
  matchConditions: {{- include "bourse.isTheAgent" . | nindent 4 }}
  variables:
    - name: kind
      expression: request.resource.resource
    - name: isEviction
      expression: has(request.subResource) && request.subResource == 'eviction'
    - name: before
      expression: "oldObject != null && has(oldObject.metadata.labels) ? oldObject.metadata.labels : {}"
    - name: labels
      expression: "object != null && has(object.metadata.labels) ? object.metadata.labels : {}"
    - name: spec
      expression: "dyn(object != null && has(object.spec) ? object.spec : {})"
    - name: specBefore
      expression: "dyn(oldObject != null && has(oldObject.spec) ? oldObject.spec : {})"
  validations:
    - expression: >-
        variables.kind != 'nodes' || (request.name.startsWith('res-') &&
        'liqo.io/type' in variables.before && variables.before['liqo.io/type'] == 'virtual-node')
      messageExpression: "'node ' + request.name + ' is not a borrowed one'"
      reason: Forbidden
    - expression: >-
        variables.kind != 'nodes' || request.operation != 'UPDATE' ||
        (variables.labels == variables.before &&
        {{- include "bourse.sameMetadata" (list "ownerReferences" "[]") | nindent 8 }} &&
        {{- include "bourse.sameMetadata" (list "finalizers" "[]") | nindent 8 }} &&
        variables.spec.all(key, key == 'unschedulable' ||
        (key in variables.specBefore && variables.spec[key] == variables.specBefore[key])) &&
        variables.specBefore.all(key, key == 'unschedulable' || key in variables.spec))
      message: the agent cordons nodes, and changes nothing else of them
      reason: Forbidden
    # A placeholder is in the agent's own namespace.
    - expression: >-
        variables.kind != 'pods' || variables.isEviction ||
        ('nodeName' in variables.specBefore && variables.specBefore.nodeName.startsWith('res-')) ||
        (request.namespace == '{{ .Values.namespace }}' && request.name.startsWith('hold-') &&
        'bourse.dev/placeholder-for' in variables.before)
      messageExpression: >-
        'pod ' + request.name + ' is neither on a borrowed node nor a placeholder of the agent'
      reason: Forbidden
    # Which node it is on is not told with an eviction; on borrowed nodes are pods of such namespaces only.
    - expression: >-
        !variables.isEviction || (has(namespaceObject.metadata.labels) &&
        'liqo.io/scheduling-enabled' in namespaceObject.metadata.labels &&
        namespaceObject.metadata.labels['liqo.io/scheduling-enabled'] == 'true')
      messageExpression: >-
        'the agent evicts pods of offloaded namespaces only, and ' + request.namespace + ' is none'
      reason: Forbidden
    - expression: >-
        variables.kind != 'namespaces' || ('liqo.io/tenant-namespace' in variables.labels &&
        variables.labels['liqo.io/tenant-namespace'] == 'true' &&
        {{- if $isNative }}
        'bourse.dev/peer' in variables.labels &&
        {{- end }}
        'liqo.io/remote-cluster-id' in variables.labels &&
        object.metadata.name == 'liqo-tenant-' + variables.labels['liqo.io/remote-cluster-id'])
      messageExpression: "'namespace ' + object.metadata.name + ' is not a tenant namespace of Liqo'"
      reason: Forbidden
---
{{ include "bourse.binding" (list . (printf "%s-nodes" $name)) }}
---
# Liqo's kinds: in tenant namespaces, with the agent's mark; offloading nowhere that the cluster itself lives.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ $name }}-liqo
  labels: {{- include "bourse.labels" . | nindent 4 }}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - apiGroups: [authentication.liqo.io]
        apiVersions: ["*"]
        operations: [CREATE, UPDATE, DELETE]
        resources: [tenants, identities, resourceslices, resourceslices/status]
      - apiGroups: [offloading.liqo.io]
        apiVersions: ["*"]
        operations: [CREATE, UPDATE, DELETE]
        resources: [virtualnodes, namespaceoffloadings, quotas, namespacemaps, shadowpods]
      - apiGroups: [networking.liqo.io]
        apiVersions: ["*"]
        operations: [CREATE, UPDATE, DELETE]
        resources: [configurations, gatewayservers, gatewayclients, publickeies]
      - apiGroups: [core.liqo.io]
        apiVersions: ["*"]
        operations: [UPDATE]
        resources: [foreignclusters]
  matchConditions: {{- include "bourse.isTheAgent" . | nindent 4 }}
  variables:
    - name: kind
      expression: request.resource.resource
    - name: isNew
      expression: request.operation == 'CREATE'
    - name: isWritten
      expression: request.operation != 'DELETE'
    - name: labels
      expression: "object != null && has(object.metadata.labels) ? object.metadata.labels : {}"
    - name: before
      expression: "oldObject != null && has(oldObject.metadata.labels) ? oldObject.metadata.labels : {}"
    {{- include "bourse.isTenantNamespace" . | nindent 4 }}
    - name: isOfThatCluster
      expression: >-
        variables.isTenantNamespace && 'liqo.io/remote-cluster-id' in namespaceObject.metadata.labels &&
        namespaceObject.metadata.labels['liqo.io/remote-cluster-id'] == object.spec.clusterID
    - name: isOfTheCluster
      expression: >-
        request.namespace.startsWith('kube-') || request.namespace in
        [{{ printf "'%s', '%s'" $liqo .Release.Namespace }}] || variables.isTenantNamespace
  validations:
    - expression: >-
        variables.kind in ['namespaceoffloadings', 'foreignclusters', 'shadowpods'] || variables.isTenantNamespace
      messageExpression: >-
        'the agent writes ' + variables.kind + ' in tenant namespaces of Liqo only, not in ' + request.namespace
      reason: Forbidden
    {{- if $isNative }}
    - expression: >-
        !variables.isNew || variables.kind == 'namespaceoffloadings' || 'bourse.dev/peer' in variables.labels
      messageExpression: "'what the agent makes has its label bourse.dev/peer, ' + variables.kind + ', too'"
      reason: Forbidden
    - expression: >-
        variables.isNew || !(variables.kind in ['tenants', 'identities']) ||
        'bourse.dev/peer' in variables.before
      messageExpression: >-
        'the agent did not make ' + request.name + ' of ' + variables.kind + ': it has no label bourse.dev/peer'
      reason: Forbidden
    {{- end }}
    # Without a handshake Liqo would certify any key.
    - expression: >-
        variables.kind != 'tenants' || !variables.isWritten || (variables.isOfThatCluster &&
        has(object.spec.authzPolicy) && object.spec.authzPolicy == 'KeysExchange')
      message: a Tenant is of the cluster that its namespace is for, and proves its key (KeysExchange)
      reason: Forbidden
    - expression: >-
        variables.kind != 'identities' || !variables.isWritten || (variables.isOfThatCluster &&
        object.spec.type == 'ControlPlane')
      message: an Identity is of the cluster that its namespace is for, and of type ControlPlane
      reason: Forbidden
    - expression: >-
        variables.kind != 'resourceslices' || (variables.isNew ? object.metadata.name.startsWith('res-') :
        !variables.isWritten || !('liqo.io/replicated' in variables.before) || object.spec == oldObject.spec)
      message: the agent asks for slices named res-…, and changes nothing that a peer asks for
      reason: Forbidden
    - expression: variables.kind != 'virtualnodes' || request.name.startsWith('res-')
      messageExpression: "'virtual node ' + request.name + ' is not one of the agent'"
      reason: Forbidden
    - expression: >-
        variables.kind != 'namespaceoffloadings' || (
        (!variables.isWritten || ('app.kubernetes.io/managed-by' in variables.labels &&
        variables.labels['app.kubernetes.io/managed-by'] == 'bourse-agent')) &&
        (variables.isNew || ('app.kubernetes.io/managed-by' in variables.before &&
        variables.before['app.kubernetes.io/managed-by'] == 'bourse-agent')))
      messageExpression: "'the offloading of ' + request.namespace + ' is not the work of the agent'"
      reason: Forbidden
    # With a namespace go its Secrets.
    - expression: variables.kind != 'namespaceoffloadings' || !variables.isWritten || !variables.isOfTheCluster
      messageExpression: "'namespace ' + request.namespace + ' is of the cluster itself, and is never offloaded'"
      reason: Forbidden
    # Pods that another cluster runs here: in a namespace that Liqo has made for it, by the user of a slice.
    - expression: >-
        variables.kind != 'shadowpods' || (!variables.isWritten && has(namespaceObject.metadata.labels) &&
        'liqo.io/remote-cluster-id' in namespaceObject.metadata.labels &&
        'liqo.io/creator-user' in variables.before &&
        variables.before['liqo.io/creator-user'].matches('^.+-[0-9a-f]{12}$'))
      messageExpression: "'shadow pod ' + request.name + ' is not one that a slice was for'"
      reason: Forbidden
    - expression: >-
        variables.kind != 'foreignclusters' || (object.spec == oldObject.spec &&
        {{- include "bourse.sameMetadata" (list "ownerReferences" "[]") | nindent 8 }} &&
        {{- include "bourse.sameMetadata" (list "finalizers" "[]") | nindent 8 }})
      message: of a ForeignCluster the agent changes annotations only
      reason: Forbidden
---
{{ include "bourse.binding" (list . (printf "%s-liqo" $name)) }}
{{- if $isNative }}
---
# A ForeignCluster has no mark of the agent, as Liqo makes it. It goes with a tenant namespace that the agent has made:
# this is asked of every tenant namespace, and one that was made by hand keeps the ForeignCluster of its cluster.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ $name }}-foreign
  labels: {{- include "bourse.labels" . | nindent 4 }}
spec:
  failurePolicy: Fail
  paramKind: { apiVersion: v1, kind: Namespace }
  matchConstraints:
    resourceRules:
      - apiGroups: [core.liqo.io]
        apiVersions: ["*"]
        operations: [DELETE]
        resources: [foreignclusters]
  matchConditions: {{- include "bourse.isTheAgent" . | nindent 4 }}
  validations:
    - expression: >-
        !('liqo.io/remote-cluster-id' in params.metadata.labels) ||
        params.metadata.labels['liqo.io/remote-cluster-id'] != oldObject.spec.clusterID ||
        'bourse.dev/peer' in params.metadata.labels
      messageExpression: >-
        'the agent did not peer with ' + oldObject.spec.clusterID + ': namespace ' + params.metadata.name +
        ' has no label bourse.dev/peer'
      reason: Forbidden
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ $name }}-foreign
  labels: {{- include "bourse.labels" . | nindent 4 }}
spec:
  policyName: {{ $name }}-foreign
  paramRef:
    selector:
      matchLabels: { liqo.io/tenant-namespace: "true" }
    parameterNotFoundAction: Allow
  validationActions: [Deny]
{{- end }}
{{- end -}}

{{- define "bourse.isTheAgent" -}}
- name: is-the-agent
  expression: >-
    request.userInfo.username ==
    'system:serviceaccount:{{ .Release.Namespace }}:{{ include "bourse.serviceAccount" . }}'
{{- end -}}

{{- define "bourse.isTenantNamespace" -}}
- name: isTenantNamespace
  expression: >-
    has(namespaceObject.metadata.labels) && 'liqo.io/tenant-namespace' in namespaceObject.metadata.labels &&
    namespaceObject.metadata.labels['liqo.io/tenant-namespace'] == 'true'
{{- end -}}

{{/* Whether an update leaves a part of the metadata as it is: its name, and what it is where there is none. */}}
{{- define "bourse.sameMetadata" -}}
{{- $part := index . 0 -}}
{{- $none := index . 1 -}}
(has(object.metadata.{{ $part }}) ? object.metadata.{{ $part }} : {{ $none }}) ==
(has(oldObject.metadata.{{ $part }}) ? oldObject.metadata.{{ $part }} : {{ $none }})
{{- end -}}

{{/* Puts a policy of this name in force, everywhere. */}}
{{- define "bourse.binding" -}}
{{- $root := index . 0 -}}
{{- $policy := index . 1 -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ $policy }}
  labels: {{- include "bourse.labels" $root | nindent 4 }}
spec:
  policyName: {{ $policy }}
  validationActions: [Deny]
{{- end -}}
