import type { KubeClient, WorkQueueOptions } from '@bourse/kube'

/** Why this broker may neither decide nor show; undefined while nobody else can lead. */
export type Ousted = () => string | undefined

type Writes = Pick<KubeClient, 'create' | 'mergePatch' | 'apply' | 'delete'>
type Work = WorkQueueOptions['work']

/** A lost lease may be ours again untouched: then everything is looked at after all. */
const AGAIN_AFTER_MS = 250

/** A client that reads for everybody and writes for the leader alone. */
export function writingInOffice(client: KubeClient, ousted: Ousted): KubeClient {
  const writes: Writes = {
    create: (...asked) => inOffice().then(() => client.create(...asked)),
    mergePatch: (...asked) => inOffice().then(() => client.mergePatch(...asked)),
    apply: (...asked) => inOffice().then(() => client.apply(...asked)),
    delete: (...asked) => inOffice().then(() => client.delete(...asked)),
  }
  return { ...client, ...writes }

  async function inOffice(): Promise<void> {
    const why = ousted()
    if (why !== undefined) throw new NotInOffice(why)
  }
}

/** One's turn at a key waits until this broker leads for sure. */
export function workingInOffice(work: Work, ousted: Ousted): Work {
  return (key, signal) =>
    ousted() === undefined ? work(key, signal) : Promise.resolve({ againAfterMs: AGAIN_AFTER_MS })
}

export class NotInOffice extends Error {
  override readonly name = 'NotInOffice'
}
