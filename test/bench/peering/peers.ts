import { eventually } from '@bourse/testkit'
import { type AgentObjects, objectsOf, startFederation } from '@bourse/testkit/federation'
import { isReady, type LiqoLook, lookAtLiqo, type Node } from '@bourse/testkit/liqo'
import { BUNDLE } from '../harness/broker-process.ts'

/** Far above every bar: a peering that is slow is measured, one that is stuck is told. */
const GIVE_UP_MS = 120_000
const CLUSTERS = ['rome', 'paris']

export type Peers = Readonly<{
  /** Asks in rome, and says after how many milliseconds the node was ready. */
  borrow(name: string): Promise<number>
  /** Gives back, and says after how many milliseconds neither cluster had anything of it left. */
  giveBack(names: readonly string[]): Promise<number>
  /** They have forgotten each other. */
  strangers(): Promise<void>
  virtualNodes(): Promise<readonly Node[]>
  liqoQuotas(): Promise<number>
  stop(): Promise<void>
}>

/** rome and paris, agents that peer, real Liqo in both; a peering ends with its last reservation. */
export async function startPeers(lingers: '0s' | '10m'): Promise<Peers> {
  const federation = await startFederation({
    clusters: CLUSTERS,
    nodes: { paris: [{ cpu: '64', memory: '256Gi' }] },
    withLiqo: true,
    agentFlags: () => ['--peering=native', `--peering-linger=${lingers}`],
    agentEnv: { BOURSE_MAIN: BUNDLE },
  })
  const inside = (id: string) => objectsOf(federation.cluster(id).controlPlane.adminKubeconfig)
  const [rome, paris] = [await inside('rome'), await inside('paris')]
  const [inRome, inParis] = [lookAtLiqo(rome.client), lookAtLiqo(paris.client)]
  return {
    borrow: (name) => borrow(rome, inRome, name),
    giveBack: (names) => giveBack(rome, names, [inRome, inParis]),
    async strangers() {
      const left = async () => [...(await inRome.ofPairs()), ...(await inParis.ofPairs())]
      const areNone = async () => (await left()).length === 0
      await eventually('they are no longer a pair', areNone, GIVE_UP_MS)
    },
    virtualNodes: inRome.virtualNodes,
    liqoQuotas: async () => (await inParis.liqoQuotas()).length,
    async stop() {
      await Promise.all([rome.client.close(), paris.client.close()])
      await federation.dispose()
    },
  }
}

async function borrow(rome: AgentObjects, look: LiqoLook, name: string): Promise<number> {
  const askedAt = performance.now()
  await rome.ask(name, { cpu: '1', memory: '1Gi', duration: '1h' })
  await eventually(
    `${name} is a node that is ready`,
    async () => {
      const reservation = (await rome.request(name))?.status?.reservationName
      if (reservation === undefined) return undefined
      const nodes = await look.virtualNodes()
      return nodes.some((node) => node.metadata.name.includes(reservation) && isReady(node))
    },
    GIVE_UP_MS,
  )
  return performance.now() - askedAt
}

async function giveBack(
  rome: AgentObjects,
  names: readonly string[],
  looks: readonly LiqoLook[],
): Promise<number> {
  const askedAt = performance.now()
  await Promise.all(names.map((name) => rome.remove(name)))
  await eventually(
    'nothing is left',
    async () => {
      const left = await Promise.all(looks.map((look) => look.ofReservations()))
      return left.flat().length === 0
    },
    GIVE_UP_MS,
  )
  const goneAt = performance.now()
  await Promise.all(names.map((name) => rome.gone(name)))
  return goneAt - askedAt
}
