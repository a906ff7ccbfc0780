import type { Kind, KubeClient, KubeObject, WatchEvent } from '@bourse/kube'

const SEEN_WITHIN_MS = 120_000

export type Sighting<T extends KubeObject> = Readonly<{
  kind: Kind
  isIt(event: WatchEvent<T>): boolean
}>

/**
 * Watches from the moment on at which this resolves. Who asks from time to time misses what is so
 * for a moment only.
 */
export async function lookOut<T extends KubeObject>(
  client: Pick<KubeClient, 'list' | 'watch'>,
  { kind, isIt }: Sighting<T>,
): Promise<Readonly<{ seen: Promise<void> }>> {
  const { resourceVersion } = await client.list(kind)
  const seen = watch()
  // A test that fails earlier never asks.
  seen.catch(() => {})
  return { seen }

  async function watch(): Promise<void> {
    const signal = AbortSignal.timeout(SEEN_WITHIN_MS)
    const events = client.watch<T>(kind, { resourceVersion, signal })
    for await (const event of events) if (isIt(event)) return
    throw new Error(`The watch of ${kind.plural} ended before it was seen.`)
  }
}
