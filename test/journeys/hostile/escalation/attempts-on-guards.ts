import { type Attempt, attempt } from './caller.ts'
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
    attempt(
      `removes the policy ${name}`,
      `DELETE ${ADMISSION}/validatingadmissionpolicies/${name}`,
    ),
    attempt(
      `removes the binding of ${name}`,
      `DELETE ${ADMISSION}/validatingadmissionpolicybindings/${name}`,
    ),
    attempt(
      `has the policy ${name} warn only`,
      `PATCH ${ADMISSION}/validatingadmissionpolicybindings/${name}`,
      { spec: { validationActions: ['Audit'] } },
    ),
    attempt(
      `has the policy ${name} fail open`,
      `PATCH ${ADMISSION}/validatingadmissionpolicies/${name}`,
      { spec: { failurePolicy: 'Ignore' } },
    ),
  ]),
  attempt(
    'puts a policy of its own in force',
    `POST ${ADMISSION}/validatingadmissionpolicybindings`,
    policy('mine'),
  ),
  ...['Validating', 'Mutating'].map((kind) =>
    attempt(
      `has every object sent to a webhook of its own (${kind})`,
      `POST ${ADMISSION}/${kind.toLowerCase()}webhookconfigurations`,
      object('admissionregistration.k8s.io/v1', `${kind}WebhookConfiguration`, {
        name: 'mine',
      }),
    ),
  ),
  attempt('removes a kind', `DELETE ${CRDS}/resourcerequests.liqo.io`),
  attempt('changes a kind', `PATCH ${CRDS}/reservations.broker.fluidos.eu`, {
    metadata: { annotations: { mine: 'yes' } },
  }),
  attempt(
    'answers for a group of the API',
    'POST /apis/apiregistration.k8s.io/v1/apiservices',
    object(
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
  ),
]
