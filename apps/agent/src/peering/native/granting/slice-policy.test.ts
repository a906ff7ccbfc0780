import { describe, expect, it } from 'vitest'
import { chartPolicy } from '../../../../fixtures/peering/native/admission/chart-policy.ts'
import type { Policy, PolicyBinding } from '../admission/admission-policy.ts'
import { policyProblem } from './slice-policy.ts'

const { policy, binding, withSpec } = chartPolicy('slices.yaml')
const withBinding = (spec: PolicyBinding['spec']): PolicyBinding => ({
  ...binding,
  spec: { ...binding.spec, ...spec },
})

describe('the policy for slices', () => {
  it("keeps peers from everything if it is the chart's, as the API server completes it", () => {
    const { matchConstraints } = policy.spec ?? {}
    const completed = { ...matchConstraints, namespaceSelector: {}, objectSelector: {} }

    expect(policyProblem(withSpec({ matchConstraints: completed }), binding, 'bourse')).toBe(
      undefined,
    )
  })

  it.each([
    {
      name: 'lets requests pass when it cannot be asked',
      spec: { failurePolicy: 'Ignore' },
      problem: 'its failurePolicy is not Fail',
    },
    {
      name: 'does not look at the status',
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['authentication.liqo.io'],
              operations: ['CREATE', 'UPDATE'],
              resources: ['resourceslices'],
            },
          ],
        },
      },
      problem: 'it does not match all slices',
    },
    {
      name: 'leaves a namespace out',
      spec: {
        matchConstraints: {
          ...policy.spec?.matchConstraints,
          namespaceSelector: { matchLabels: { strict: 'yes' } },
        },
      },
      problem: 'it does not match all slices',
    },
    {
      name: 'leaves a peer out',
      spec: {
        matchConditions: [
          ...(policy.spec?.matchConditions ?? []),
          { name: 'friends', expression: "request.userInfo.username != 'milan'" },
        ],
      },
      problem: 'it does not match all peers',
    },
    {
      name: 'calls nothing a status',
      spec: {
        variables: policy.spec?.variables?.map((one) =>
          one.name === 'isStatus' ? { ...one, expression: 'false' } : one,
        ),
      },
      problem: "its variable isStatus is not the chart's",
    },
    {
      name: 'lacks a rule',
      spec: { validations: policy.spec?.validations?.slice(1) },
      problem: 'it lacks the validation !variables.isStatus',
    },
  ])('is altered if it $name', ({ spec, problem }) => {
    // Spread: a test may leave a field undefined, which the type does not know.
    expect(policyProblem(withSpec({ ...spec } as Policy['spec']), binding, 'bourse')).toBe(problem)
  })

  it('tells of classes that no reservation binds', () => {
    expect(policyProblem(policy, binding, 'gold')).toBe(
      'it allows the classes ["bourse"], and only gold is bound to reservations',
    )
  })

  it.each([
    {
      name: 'only warns',
      spec: { validationActions: ['Warn'] },
      problem: 'its binding does not deny',
    },
    {
      name: 'is for another policy',
      spec: { policyName: 'mine' },
      problem: 'its binding is for mine',
    },
    {
      name: 'is for some only',
      spec: { matchResources: { objectSelector: { matchLabels: { strict: 'yes' } } } },
      problem: 'its binding does not match everything',
    },
  ])('is altered if its binding $name', ({ spec, problem }) => {
    expect(policyProblem(policy, withBinding(spec), 'bourse')).toBe(problem)
  })
})
