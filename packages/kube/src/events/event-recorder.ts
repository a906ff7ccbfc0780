import type { KubeClient } from '../client/kube-client.ts'
import type { Patience } from '../patience.ts'

/** The object that an event tells of. */
export type ObjectReference = Readonly<{
  apiVersion: string
  kind: string
  name: string
  namespace?: string | undefined
  uid?: string | undefined
  resourceVersion?: string | undefined
}>

export type EventNote = Readonly<{
  regarding: ObjectReference
  related?: ObjectReference | undefined
  type: 'Normal' | 'Warning'
  /** CamelCase, why: `Reserved`, `NoClusterFits`. */
  reason: string
  /** What was done or tried: `Reserve`. */
  action: string
  /** A sentence for people. */
  note: string
}>

export type EventRecorderOptions = Readonly<{
  client: Pick<KubeClient, 'create' | 'mergePatch'>
  /** `bourse.dev/broker`. */
  controller: string
  /** This process, for instance its pod's name. */
  instance: string
  /** Events not yet sent; more are dropped and counted. */
  waitingMax?: number
  perSecond?: number
  onTrouble?(error: Error): void
  patience?: Patience
}>

export type EventRecorder = {
  /** Returns at once. The same note again within minutes raises a count. */
  record(note: EventNote): void
  /** Never told: too many at once, or refused by the server. */
  dropped(): number
  /** Sends what waits, as far as the server takes it within the time. */
  stop(withinMs?: number): Promise<void>
}
