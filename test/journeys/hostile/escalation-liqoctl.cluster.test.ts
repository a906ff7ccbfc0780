import { bourseKinds } from '@bourse/testkit/control-plane'
import { liqoDefinitions } from '@bourse/testkit/liqo'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, describe, expect, it } from 'vitest'
import { attempts, type Callers, current, dry, isSuccess, setStage } from './escalation/stage.ts'

// With controllers: they give every namespace the account that a pod runs as.
const controlPlane = useControlPlane({
  ...{ withControllers: true, kinds: [...bourseKinds, liqoDefinitions()] },
})
let as: Callers

beforeAll(async () => {
  as = await setStage(controlPlane(), {
    extras: ['agent-liqoctl', 'agent-liqoctl-networking'],
    policies: ['secrets', 'own', 'nodes', 'liqo'].map((name) => `bourse-agent-${name}`),
  })
})

/** SECURITY.md: an agent that peers by liqoctl may read the Secrets of the cluster. */
const ADMITTED = [
  'reads all Secrets',
  'lists the Secrets of its own namespace',
  'reads a Secret by name',
  'reads another Secret of its own namespace',
  'reads the kubeconfig that Liqo has for a provider',
]
const isAdmitted = ({ tries }: Readonly<{ tries: string }>) => ADMITTED.includes(tries)

describe('the token of an agent that peers by liqoctl', () => {
  it.each(attempts.filter((attempt) => !isAdmitted(attempt)))(
    'is refused when it $tries',
    async (attempt) => {
      const { status, message } = await as.agent(await current(attempt, as))

      expect([status, message.slice(0, 300)]).toEqual([403, expect.anything()])
    },
  )

  it.each(attempts.filter(isAdmitted))('may, as we say: $tries', async (attempt) => {
    const { status } = await as.agent(dry(attempt))

    expect(status).toSatisfy(isSuccess)
  })
})
