import type { KubeClient } from '../client/kube-client.ts'
import { LEASE } from '../objects/kinds.ts'
import type { KubeObject } from '../objects/objects.ts'
import { type Backoff, backoffMs, type Clock, pause } from '../time/clock.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'watch'>
  namespace: string
  name: string
  clock: Clock
  /** The lease was released, deleted or taken. */
  onChange(): void
}>

const BACKOFF: Backoff = { baseMs: 1_000, capMs: 60_000 }

/**
 * Reports at once when a lease changes hands. Only a hint: the candidate reads the lease itself,
 * and polls anyway in case it may not watch or the watch has died.
 */
export function watchLease({ client, namespace, name, clock, onChange }: Ports) {
  const stopping = new AbortController()
  const { signal } = stopping
  const selection = { namespace, fieldSelector: `metadata.name=${name}`, signal }
  let failures = 0
  let holder: string | undefined
  void run()
  return { stop: () => stopping.abort() }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await listen().catch(() => {})
      await pause(clock, backoffMs(++failures, BACKOFF, clock.random()), signal)
    }
  }

  async function listen(): Promise<void> {
    for await (const event of client.watch<KubeObject<Spec>>(LEASE, selection)) {
      failures = 0
      if (event.type === 'BOOKMARK') continue
      const next = event.type === 'DELETED' ? '' : (event.object.spec?.holderIdentity ?? '')
      if (next !== holder) onChange()
      holder = next
    }
  }
}

type Spec = Readonly<{ holderIdentity?: string }>
