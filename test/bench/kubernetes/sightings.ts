import type { Kind, KubeClient, KubeObject } from '@bourse/kube'

const GIVE_UP_MS = 10_000

/** One watch for all samples, as a controller has. Tells when an object is as wanted. */
export async function startSightings(
  client: KubeClient,
  kind: Kind,
  isAsWanted: (object: KubeObject) => boolean,
) {
  const { resourceVersion } = await client.list(kind, { namespace: 'default' })
  const stopping = new AbortController()
  const { signal } = stopping
  const waiting = new Map<string, (seenAt: number) => void>()
  const watching = watch()

  return { timeOf, stop }

  async function watch(): Promise<void> {
    const options = { namespace: 'default', resourceVersion, signal }
    for await (const event of client.watch<KubeObject>(kind, options))
      if ('object' in event && isAsWanted(event.object as KubeObject))
        waiting.get(event.object.metadata.name ?? '')?.(performance.now())
  }

  /** From before it is made until a watch shows it as wanted. */
  async function timeOf(name: string, make: (name: string) => Promise<unknown>): Promise<number> {
    const seen = new Promise<number>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${name} was never seen.`)), GIVE_UP_MS)
      waiting.set(name, (seenAt) => {
        clearTimeout(late)
        waiting.delete(name)
        resolve(seenAt)
      })
    })
    const startedAt = performance.now()
    await make(name)
    return (await seen) - startedAt
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await watching.catch(() => {})
  }
}
