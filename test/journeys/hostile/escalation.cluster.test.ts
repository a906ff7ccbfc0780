import { bourseKinds } from '@bourse/testkit/control-plane'
import { liqoDefinitions } from '@bourse/testkit/liqo'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, describe, expect, it } from 'vitest'
import { attemptsOnCertificates } from './escalation/attempts-on-secrets.ts'
import { needs } from './escalation/needs.ts'
import { attempts, type Callers, current, dry, isSuccess, setStage } from './escalation/stage.ts'

// With controllers: they give every namespace the account that a pod runs as.
const controlPlane = useControlPlane({
  ...{ withControllers: true, kinds: [...bourseKinds, liqoDefinitions()] },
})
let as: Callers

beforeAll(async () => {
  as = await setStage(controlPlane(), {
    extras: ['agent-admission', 'agent-placeholders', 'agent-networking'],
    policies: [
      ...['secrets', 'own', 'nodes', 'liqo', 'foreign', 'placeholders', 'leftovers'].map(
        (name) => `bourse-agent-${name}`,
      ),
      'bourse-broker-own',
    ],
  })
})

describe('an administrator', () => {
  it.each(attempts.filter(({ isConnection }) => !isConnection))(
    'may do it: $tries',
    async (attempt) => {
      const { status, message } = await as.admin(dry(await current(attempt, as)))

      expect([status, message.slice(0, 300)]).toEqual([
        expect.toSatisfy(isSuccess),
        expect.anything(),
      ])
    },
  )
})

describe.each([
  { who: 'agent', all: [...attempts, ...attemptsOnCertificates] },
  { who: 'broker', all: [...attempts, ...attemptsOnCertificates] },
  { who: 'certificates', all: attempts },
] as const)('the token of the $who is refused when it', ({ who, all }) => {
  it.each(all)('$tries', async (attempt) => {
    const { status, message } = await as[who](await current(attempt, as))

    expect([status, message.slice(0, 300)]).toEqual([403, expect.anything()])
  })
})

describe.each(['agent', 'broker', 'certificates'] as const)(
  'the token of the %s is good for what it needs',
  (who) => {
    it.each(needs[who])('$tries', async (need) => {
      const { status, message } = await as[who](dry(await current(need, as)))

      expect([status, message.slice(0, 300)]).toEqual([
        expect.toSatisfy(isSuccess),
        expect.anything(),
      ])
    })
  },
)
