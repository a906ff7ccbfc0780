import type { Resources } from '@bourse/domain/quantity'
import type { KubeClient } from '@bourse/kube'
import type { Measurement } from './measurement.ts'
import type { NodeRules } from './node-rules.ts'

/** A reservation held on this cluster, as far as its pods' amounts are concerned. */
export type Borrower = Readonly<{ reservation: string; resources: Resources }>

export type CapacityPorts = Readonly<{
  client: Pick<KubeClient, 'pages' | 'watch'>
  rules: NodeRules
  /** Whose pods bear this `liqo.io/creator-user`, oldest first; asked at every measurement. */
  borrowersOf(creatorUser: string): readonly Borrower[]
  /** A watch failed and is tried again after the pause. */
  onTrouble(error: Error, watched: 'nodes' | 'pods'): void
}>

export type CapacityWatcher = {
  /** Resolves when nodes and pods are known. */
  start(): Promise<void>
  /** Undefined until then. */
  current(): Measurement | undefined
  /** Told, at most once a turn of the event loop, when a new measurement would differ. */
  subscribe(listener: () => void): () => void
  stop(): Promise<void>
}
