import { createReflector, type KubeClient } from '@bourse/kube'
import { ADVERTISEMENT } from '../kinds.ts'
import { CONFIRM_LEDGER_ANNOTATION } from './ledger-standing.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'pages' | 'watch'>
  namespace: string
  /** Of this cluster's Advertisement. */
  name: string
  onTrouble(error: Error): void
}>

export type ConfirmedLedger = ReturnType<typeof createConfirmedLedger>

/** Which ledger an operator has confirmed, by an annotation on the Advertisement. */
export function createConfirmedLedger({ client, namespace, name, onTrouble }: Ports) {
  const listeners = new Set<() => void>()
  let confirmed: string | undefined
  const reflector = createReflector<string>({
    client,
    kind: ADVERTISEMENT,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    decode: ({ metadata }) => metadata.annotations?.[CONFIRM_LEDGER_ANNOTATION] ?? '',
    on: { added: note, changed: note },
    onTrouble,
  })

  return {
    synced: reflector.synced,
    current: (): string | undefined => confirmed,
    subscribe(listener: () => void): void {
      listeners.add(listener)
    },
    stop: reflector.stop,
  }

  function note(annotation: string): void {
    confirmed = annotation || undefined
    for (const listener of listeners) listener()
  }
}
