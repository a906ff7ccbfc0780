import type { Attempt } from './caller.ts'
import { object } from './scene.ts'

const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

const policy = (name: string) =>
  object(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicyBinding',
    { name },
    { spec: { policyName: 'bourse-slices', validationActions: ['Audit'] } },
  )

export const attemptsOnGuards: readonly Attempt[] = [
  ...['bourse-agent-secrets', 'bourse-broker-own', 'bourse-slices'].flatMap((name) => [
    {
      tries: `removes the policy ${name}`,
      call: `DELETE ${ADMISSION}/validatingadmissionpolicies/${name}`,
    },
    {
      tries: `removes the binding of ${name}`,
      call: `DELETE ${ADMISSION}/validatingadmissionpolicybindings/${name}`,
    },
    {
      tries: `has the policy ${name} warn only`,
      call: `PATCH ${ADMISSION}/validatingadmissionpolicybindings/${name}`,
      body: { spec: { validationActions: ['Audit'] } },
    },
    {
      tries: `has the policy ${name} fail open`,
      call: `PATCH ${ADMISSION}/validatingadmissionpolicies/${name}`,
      body: { spec: { failurePolicy: 'Ignore' } },
    },
  ]),
  {
    tries: 'puts a policy of its own in force',
    call: `POST ${ADMISSION}/validatingadmissionpolicybindings`,
    body: policy('mine'),
  },
  ...['Validating', 'Mutating'].map((kind) => ({
    tries: `has every object sent to a webhook of its own (${kind})`,
    call: `POST ${ADMISSION}/${kind.toLowerCase()}webhookconfigurations`,
    body: object('admissionregistration.k8s.io/v1', `${kind}WebhookConfiguration`, {
      name: 'mine',
    }),
  })),
  {
    tries: 'removes a kind',
    call: `DELETE ${CRDS}/resourcerequests.liqo.io`,
  },
  {
    tries: 'changes a kind',
    call: `PATCH ${CRDS}/reservations.broker.fluidos.eu`,
    body: { metadata: { annotations: { mine: 'yes' } } },
  },
  {
    tries: 'answers for a group of the API',
    call: 'POST /apis/apiregistration.k8s.io/v1/apiservices',
    body: object(
      'apiregistration.k8s.io/v1',
      'APIService',
      { name: 'v1.mine.example.org' },
      {
        spec: {
          ...{ group: 'mine.example.org', version: 'v1' },
          ...{ groupPriorityMinimum: 1_000, versionPriority: 10, insecureSkipTLSVerify: true },
          service: { name: 'web', namespace: 'shop' },
        },
      },
    ),
  },
]
