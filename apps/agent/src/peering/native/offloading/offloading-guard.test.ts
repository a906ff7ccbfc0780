import { describe, expect, it } from 'vitest'
import { chartPolicy } from '../../../../fixtures/peering/native/admission/chart-policy.ts'
import type { Policy } from '../admission/admission-policy.ts'
import { offloadingPolicyProblem } from './offloading-guard.ts'

const { policy, binding, withSpec } = chartPolicy('offloading.yaml')

describe('the policy for offloading', () => {
  it("keeps people from everything if it is the chart's", () => {
    expect(offloadingPolicyProblem(policy, binding)).toBe(undefined)
  })

  it.each([
    {
      name: 'lets requests pass when it cannot be asked',
      spec: { failurePolicy: 'Ignore' },
      problem: 'its failurePolicy is not Fail',
    },
    {
      name: 'looks at changes only',
      spec: {
        matchConstraints: {
          resourceRules: [
            ...[{ apiGroups: ['liqo.io'], operations: ['UPDATE'], resources: ['*'] }],
          ],
        },
      },
      problem: 'it does not match all ResourceRequests',
    },
    {
      name: 'leaves users out',
      spec: {
        matchConditions: [{ name: 'mine', expression: "request.userInfo.username != 'ana'" }],
      },
      problem: 'it does not match all requests that offload',
    },
    {
      name: 'sees no names',
      spec: { variables: [{ name: 'names', expression: '[]' }] },
      problem: "its variable names is not the chart's",
    },
    {
      name: 'lets selectors pass',
      spec: { validations: policy.spec?.validations?.slice(1) },
      problem: expect.stringContaining(
        'it lacks the validation !has(object.spec.offload.selector)',
      ),
    },
    {
      name: 'does not ask about the last name',
      spec: { validations: policy.spec?.validations?.slice(0, -1) },
      problem: expect.stringContaining('it lacks the validation size(variables.names) <= 15'),
    },
  ])('is altered if it $name', ({ spec, problem }) => {
    // Spread: a test may leave a field undefined, which the type does not know.
    const altered = withSpec({ ...spec } as Policy['spec'])

    expect(offloadingPolicyProblem(altered, binding)).toEqual(problem)
  })

  it('is altered if its binding only warns', () => {
    const warning = { ...binding, spec: { ...binding.spec, validationActions: ['Warn'] } }

    expect(offloadingPolicyProblem(policy, warning)).toBe('its binding does not deny')
  })
})
