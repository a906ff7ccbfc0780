import type { KubeClient, WorkQueueOptions } from '@bourse/kube'

/** Why this broker may neither decide nor write; undefined while no other broker can lead. */
export type WhyNotLeading = () => string | undefined

type Writes = Pick<KubeClient, 'create' | 'mergePatch' | 'apply' | 'delete'>
type Work = WorkQueueOptions['work']

/** A lost lease may be ours again untouched: then everything is looked at after all. */
const AGAIN_AFTER_MS = 250

/** A client that reads always and writes only as leader. */
export function writingAsLeader(client: KubeClient, whyNotLeading: WhyNotLeading): KubeClient {
  const writes: Writes = {
    create: (...asked) => whileLeading().then(() => client.create(...asked)),
    mergePatch: (...asked) => whileLeading().then(() => client.mergePatch(...asked)),
    apply: (...asked) => whileLeading().then(() => client.apply(...asked)),
    delete: (...asked) => whileLeading().then(() => client.delete(...asked)),
  }
  return { ...client, ...writes }

  async function whileLeading(): Promise<void> {
    const why = whyNotLeading()
    if (why !== undefined) throw new NotLeading(why)
  }
}

/** One's turn at a key waits until this broker leads for sure. */
export function workingAsLeader(work: Work, whyNotLeading: WhyNotLeading): Work {
  return (key, signal) =>
    whyNotLeading() === undefined
      ? work(key, signal)
      : Promise.resolve({ againAfterMs: AGAIN_AFTER_MS })
}

export class NotLeading extends Error {
  override readonly name = 'NotLeading'
}
