// Budget: 20 seconds.
import { anAdvertisement, aRequest, eventually } from '@bourse/testkit'
import { expect, it } from 'vitest'
import { useRome } from '../../../../test/journeys/agent/use-rome.ts'

const { controlPlane, broker, anAgent } = useRome()

it('a provider is told in events what is held on it, what has changed, and that it is over', async () => {
  await (await broker().aClient('rome')).publishAdvertisement(anAdvertisement('rome'))
  await anAgent()
  const berlin = await broker().aClient('berlin')
  const wanted = aRequest({ cpu: '1' }, { targetClusterID: 'rome', duration: '1h' })
  const outcome = await berlin.requestReservation(wanted)
  const id = outcome.kind === 'reserved' ? outcome.reservation.id : ''
  await isTold(id, 'Held')

  const renewed = await berlin.renew(id, '2h')
  await isTold(id, 'Changed')
  await berlin.release({ id })
  await isTold(id, 'Ended')

  const notes = await told(id)
  expect(notes.map(({ reason }) => reason)).toEqual(['Held', 'Changed', 'Ended'])
  expect(notes[1]?.note).toContain(`1 CPU`)
  expect(notes[1]?.note).toContain(`held for berlin until ${renewed.status.expiresAt}`)
})

type Told = Readonly<{ reason: string; note: string; regarding: { name: string } }>

async function told(id: string): Promise<readonly Told[]> {
  const get = ['get', 'events.events.k8s.io', '--sort-by=.eventTime', '--output=json']
  const { items } = JSON.parse(await controlPlane().kubectl(get)) as { items: Told[] }
  return items.filter(({ regarding }) => regarding.name === `${id}-provider`)
}

function isTold(id: string, reason: string): Promise<unknown> {
  const isSo = async () => (await told(id)).some((one) => one.reason === reason)
  return eventually(`it is told: ${reason}`, isSo)
}
