import { BROKER_FIELD_MANAGER } from '@bourse/contract/kinds'
import type { Kind, KubeClient, KubeObject } from '@bourse/kube'
import { proven } from './same-status.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'apply'>
  /** How far the ledger is. */
  proof(): string
}>
export type Target = Readonly<{ name: string; namespace: string; resourceVersion?: string }>
export type Part = Readonly<{ metadata?: object; spec: object } | { status: object }>

/**
 * Applies what the broker says in an object. It names the version it was decided on: what a leader
 * that was frozen for a while believes meets a conflict, and never overwrites what the next leader
 * has shown.
 */
export function createApply<O extends KubeObject>(kind: Kind, { client, proof }: Ports) {
  return (target: Target, part: Part, signal?: AbortSignal): Promise<O> => {
    const { name, namespace, resourceVersion } = target
    const address = { name, namespace, ...(resourceVersion && { resourceVersion }) }
    const options = { fieldManager: BROKER_FIELD_MANAGER, force: true, signal } as const
    if ('status' in part) {
      const wanted = { metadata: address, status: proven(part.status, proof) }
      return client.apply<O>(kind, wanted, { ...options, subresource: 'status' })
    }
    const metadata = { ...address, ...part.metadata }
    return client.apply<O>(kind, { metadata, spec: part.spec }, options)
  }
}
