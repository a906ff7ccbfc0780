import { expect, it } from 'vitest'
import { nodeLabelsIn } from './node-labels.ts'

it("are those of the cluster that a Node can carry, and that are not Kubernetes' own", () => {
  const labels = {
    tier: 'gold',
    'example.org/site': 'paris',
    empty: '',
    'with space': 'x',
    motto: 'liberty, equality',
    'node-role.kubernetes.io/control-plane': '',
  }

  expect(nodeLabelsIn(labels)).toEqual({ tier: 'gold', 'example.org/site': 'paris', empty: '' })
})
