import type { PeeringSession } from '@bourse/contract'
import { describe, expect, it } from 'vitest'
import { aSession } from '../../../../fixtures/peering/native/session/session.ts'
import { isBuilder } from './network.ts'

const session = aSession({})
const back = (more: Partial<PeeringSession>) =>
  aSession({ id: 'ps-c', requesterID: 'paris', providerID: 'rome', ...more })

describe('two clusters that borrow from each other', () => {
  it.each([
    { name: 'without a session back', other: undefined, builds: true },
    {
      name: 'beside a younger one',
      other: back({ openedAt: '2026-01-01T00:00:06Z' }),
      builds: true,
    },
    {
      name: 'beside an older one',
      other: back({ openedAt: '2026-01-01T00:00:04.000Z' }),
      builds: false,
    },
    { name: 'beside one of the same instant, by its id', other: back({}), builds: true },
    {
      name: 'beside one of that instant and a lower id',
      other: back({ id: 'ps-a' }),
      builds: false,
    },
    {
      name: 'beside an older one without networking',
      other: back({ id: 'ps-a', networking: 'none' }),
      builds: true,
    },
    {
      name: 'beside an older one that builds no more',
      other: back({ id: 'ps-a', state: 'established' }),
      builds: true,
    },
  ])('have the tunnel built by a session $name: $builds', ({ other, builds }) => {
    const find = ({ role }: { role: string }) => (role === 'provider' ? other : session)

    expect(isBuilder(session, { find }, { role: 'requester', peer: 'paris' })).toBe(builds)
  })

  it('agree on which one builds it', () => {
    const older = back({ openedAt: '2026-01-01T00:00:04.000Z' })
    const inRome = ({ role }: { role: string }) => (role === 'provider' ? older : session)
    const inParis = ({ role }: { role: string }) => (role === 'provider' ? session : older)

    const builders = [
      isBuilder(session, { find: inRome }, { role: 'requester', peer: 'paris' }),
      isBuilder(session, { find: inParis }, { role: 'provider', peer: 'rome' }),
      isBuilder(older, { find: inRome }, { role: 'provider', peer: 'paris' }),
      isBuilder(older, { find: inParis }, { role: 'requester', peer: 'rome' }),
    ]

    expect(builders).toEqual([false, false, true, true])
  })
})
