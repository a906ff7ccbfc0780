import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OPERATOR_ORGANIZATION } from '@bourse/contract/headers'
import type { Terminal } from '../terminal/terminal.ts'
import { type ConnectionFlags, readSettings } from './settings.ts'

export type Caller = Readonly<{ id: string; isOperator: boolean }>

/** The caller as the broker sees it: it reads the same certificate in the same way. */
export async function readCaller(flags: ConnectionFlags, { env }: Terminal): Promise<Caller> {
  const { certPath } = await readSettings(flags, env)
  const { subject } = new X509Certificate(readFileSync(join(certPath, 'tls.crt'))).toLegacyObject()
  const [id = ''] = listOf(subject.CN)
  return { id, isOperator: listOf(subject.O).includes(OPERATOR_ORGANIZATION) }
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : [value].flat()
}
