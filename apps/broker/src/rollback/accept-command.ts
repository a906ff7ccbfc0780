import { resolve } from 'node:path'
import type { BrokerConfig } from '../config/index.ts'

/** Said to callers, who need not know where the store is. */
export const ACCEPT = 'bourse ledger accept-rollback'

/** What an operator types to go on from an older copy of this broker's store. */
export function acceptCommand(
  { store, dataDir }: Pick<BrokerConfig, 'store' | 'dataDir'>,
  ownNamespace?: string,
): string {
  if (store.kind === 'sqlite') return acceptIn(resolve(dataDir))
  const command = `${ACCEPT} --store ${store.kind}`
  // The address of a database has a password: it is given as to the broker, by the environment.
  if (store.kind === 'postgres') return command
  const { namespace = ownNamespace } = store
  return namespace === undefined ? command : `${command} --store-namespace ${namespace}`
}

export function acceptIn(dataDir: string): string {
  return `${ACCEPT} --data-dir ${PLAIN.test(dataDir) ? dataDir : quoted(dataDir)}`
}

/** What a shell takes as it stands. */
const PLAIN = /^[\w@%+=:,./-]+$/

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
