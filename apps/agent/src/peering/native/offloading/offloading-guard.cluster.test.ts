// Budget: 30 seconds.
import { join } from 'node:path'
import { systemClock } from '@bourse/kube'
import { eventually, repositoryRoot } from '@bourse/testkit'
import { connectAgent } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { expect, it, onTestFinished } from 'vitest'
import { createOffloadingGuard } from './offloading-guard.ts'

const controlPlane = useControlPlane()

it('tells a policy that is missing, and one that was loosened, with the rights of the chart', async () => {
  const { agent, close } = await connectAgent(controlPlane())
  const sleep = (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 100, signal)
  const guard = createOffloadingGuard({ client: agent, clock: { sleep } })
  onTestFinished(async () => {
    await guard.stop()
    await close()
  })
  const says = (reason: string) =>
    eventually(
      `the condition says ${reason}`,
      async () => guard.condition().reason === reason,
      60_000,
    )
  guard.start()

  await says('PolicyMissing')
  const file = join(repositoryRoot, 'config', 'agent-admission/offloading.yaml')
  await controlPlane().kubectl(['apply', `--filename=${file}`])
  await says('InForce')
  const policy = ['validatingadmissionpolicy', 'bourse-offloading', '--type=merge']
  const loosened = '--patch={"spec":{"failurePolicy":"Ignore"}}'
  await controlPlane().kubectl(['patch', ...policy, loosened])
  await says('PolicyAltered')

  expect(guard.condition()).toEqual({
    type: 'OffloadingGuarded',
    status: 'False',
    reason: 'PolicyAltered',
    message:
      "The admission policy bourse-offloading is not the chart's: its failurePolicy is not Fail. To fix it, apply the chart with admission.enabled, or config/agent-admission.",
  })
})
