import { join } from 'node:path'
import { createKubeClient, loadConnection, systemClock } from '@bourse/kube'
import { eventually, repositoryRoot } from '@bourse/testkit'
import { grantAgentRights, looseKind } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { LIQO } from '../liqo/liqo-kinds.ts'
import { createEnforcement } from './enforcement.ts'

const controlPlane = useControlPlane()
let kubeconfig = ''
const config = (path: string) => join(repositoryRoot, 'config', path)
const apply = (object: object) =>
  controlPlane().kubectl(['apply', '--filename=-'], JSON.stringify(object))

beforeAll(async () => {
  kubeconfig = await grantAgentRights(controlPlane())
})

/** Looks again after a hundredth of the usual time, with the rights of the chart. */
async function looking() {
  const client = createKubeClient(await loadConnection({ kubeconfig }))
  const sleep = (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 100, signal)
  const enforcement = createEnforcement({ client, clock: { sleep }, sliceClass: 'bourse' })
  onTestFinished(async () => {
    await enforcement.stop()
    await client.close()
  })
  enforcement.start()
  return enforcement
}

function aController(...args: string[]) {
  const labels = {
    'app.kubernetes.io/name': 'controller-manager',
    'app.kubernetes.io/part-of': 'liqo',
  }
  const containers = [{ name: 'controller-manager', image: 'example.org/liqo', args }]
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'liqo-controller-manager', namespace: 'default', labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  }
}

it('tells a missing policy, a loosened one, and limits that are none, until all is mended', async () => {
  const enforcement = await looking()
  const says = (reason: string) =>
    eventually(
      `the condition says ${reason}`,
      async () => enforcement.condition().reason === reason,
      60_000,
    )

  await says('PolicyMissing')
  expect(enforcement.facts()).toEqual({ enforcement: 'Unknown', policy: 'Missing' })

  await controlPlane().kubectl(['apply', `--filename=${config('agent-admission/slices.yaml')}`])
  await says('LimitsUnknown')
  expect(enforcement.facts()).toEqual({ enforcement: 'Unknown', policy: 'InForce' })

  await apply(looseKind(LIQO.quota))
  await apply(aController('--cluster-id=paris'))
  await says('NoLimits')
  await apply(aController('--default-limits-enforcement=Hard'))
  await says('HardLimits')
  expect(enforcement.condition().status).toBe('True')

  const policy = ['validatingadmissionpolicy', 'bourse-slices', '--type=merge']
  const loosened = '--patch={"spec":{"failurePolicy":"Ignore"}}'
  await controlPlane().kubectl(['patch', ...policy, loosened])
  await says('PolicyAltered')
  expect(enforcement.condition()).toEqual({
    type: 'Enforced',
    status: 'False',
    reason: 'PolicyAltered',
    message:
      "The admission policy bourse-slices is not the chart's: its failurePolicy is not Fail. To fix it, apply the chart with admission.enabled, or config/agent-admission.",
  })
})
