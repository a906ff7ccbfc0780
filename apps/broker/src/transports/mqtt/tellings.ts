import { TOLD, TOLD_PATHS, type Told, toldTopic } from '@bourse/contract/mqtt'
import type { RelayedAnswer } from '@bourse/contract/relayed'
import type { Relay } from '../relay/create-relay.ts'

type Ports = Readonly<{
  relay: Pick<Relay, 'watch'>
  publish(topic: string, answer: RelayedAnswer): Promise<void>
  now(): number
  onTrouble(error: Error): void
}>

/** Agents call every half minute; one that is silent for so long asks again when it returns. */
const SILENT_MS = 15 * 60_000
const CLUSTERS_MAX = 10_000

/** Tells each cluster that speaks by MQTT of what concerns it, as it changes. */
export function createTellings({ relay, publish, now, onTrouble }: Ports) {
  const heardAt = new Map<string, number>()
  const running = new Set<Promise<unknown>>()
  const ending = new AbortController()

  return { heard, stop }

  function heard(clusterId: string): void {
    const isNew = !heardAt.has(clusterId)
    if (isNew && (heardAt.size >= CLUSTERS_MAX || ending.signal.aborted)) return
    heardAt.set(clusterId, now())
    if (!isNew) return
    const telling = Promise.all(TOLD.map((told) => tell(clusterId, told)))
      .catch(onTrouble)
      .finally(() => {
        heardAt.delete(clusterId)
        running.delete(telling)
      })
    running.add(telling)
  }

  async function tell(clusterId: string, told: Told): Promise<void> {
    const caller = { id: clusterId, isOperator: false }
    const identify = () => caller
    const call = { method: 'GET', path: TOLD_PATHS[told] } as const
    let before: string | undefined
    for await (const answer of relay.watch(identify, call, ending.signal)) {
      // Denied or over its rate: the caller learns it from the answer to its call.
      if (answer.status >= 300 || isSilent(clusterId)) return
      if (answer.body !== before) await publish(toldTopic(clusterId, told), answer)
      before = answer.body
    }
  }

  function isSilent(clusterId: string): boolean {
    return now() - (heardAt.get(clusterId) ?? 0) > SILENT_MS
  }

  async function stop(): Promise<void> {
    ending.abort()
    await Promise.all(running)
  }
}
