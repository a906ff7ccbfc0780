import { setTimeout as sleep } from 'node:timers/promises'
import { clusterAdvertisementKind, reservationKind } from '@bourse/contract/kinds'
import type { KubeClient, KubeObject } from '@bourse/kube'
import { eventually, type RawCaller, type TestBroker } from '@bourse/testkit'
import { everyReservation } from '@bourse/testkit/leadership'

type Cluster = KubeObject<unknown, { reserved?: { cpu?: string } }>
type Reservation = KubeObject<unknown, { phase?: string }>
type Settings = Readonly<{
  client: KubeClient
  brokers: readonly TestBroker[]
  /** Where what came by REST is shown. */
  namespace: string
  supplyCpu: number
}>

const LOOK_EVERY_MS = 100
const CONVERGED_WITHIN_MS = 120_000

/** An observer that trusts no broker: is more ever reserved on paris than paris has? */
export async function lookFromOutside({ client, brokers, namespace, supplyCpu }: Settings) {
  const operators = await Promise.all(brokers.map((broker) => broker.aRawOperator()))
  const overbooked: string[] = []
  let looks = 0
  let isOver = false
  const looking = look()

  return { overbooked, looks: () => looks, converged, stop }

  async function look(): Promise<void> {
    while (!isOver) {
      for (const operator of operators) note('by REST', await reservedByRest(operator))
      note('by its object', await reservedByObject())
      await sleep(LOOK_EVERY_MS)
    }
  }

  function note(how: string, reserved: number | undefined): void {
    if (reserved === undefined) return
    looks++
    if (reserved > supplyCpu) overbooked.push(`paris has ${reserved} of ${supplyCpu} cpu ${how}`)
  }

  /** A standby, and a broker or API server that is away, say nothing. */
  async function reservedByRest(operator: RawCaller): Promise<number | undefined> {
    const asked = operator.get('/api/v1/advertisements/paris')
    const reply = await Promise.race([asked.catch(() => undefined), sleep(1_000)])
    return reply?.status === 200 ? Number(reply.json.resources.reserved?.cpu ?? 0) : undefined
  }

  async function reservedByObject(): Promise<number | undefined> {
    const options = { retry: false, timeoutMs: 1_000 }
    const asked = client.get<Cluster>(clusterAdvertisementKind, 'rest-paris', namespace, options)
    const cluster = await asked.catch(() => undefined)
    return cluster && Number(cluster.status?.reserved?.cpu ?? 0)
  }

  /** Resolves when the objects show exactly what the ledger holds. */
  async function converged(operator: RawCaller): Promise<void> {
    const told = (await everyReservation(operator)).map(({ id }) => id).sort()
    const isSo = async () => {
      const { items } = await client.list<Reservation>(reservationKind, { namespace })
      const live = items.filter(({ status }) => status?.phase === 'Reserved')
      const shown = live.map(({ metadata }) => metadata.name).sort()
      const isSame = JSON.stringify(shown) === JSON.stringify(told)
      return (isSame && (await reservedByObject()) === told.length) || undefined
    }
    await eventually('The objects show what the ledger holds', isSo, CONVERGED_WITHIN_MS)
  }

  async function stop(): Promise<void> {
    isOver = true
    await looking
    for (const operator of operators) operator.close()
  }
}
