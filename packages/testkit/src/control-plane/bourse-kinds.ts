import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../processes/broker-process.ts'

const BASES = join(repositoryRoot, 'config', 'crd', 'bases')

/** The definitions of all kinds of bourse, as a control plane takes them. */
export const bourseKinds: readonly string[] = [BASES]
/** Those that a broker needs, its store on Kubernetes included. */
export const brokerKinds: readonly string[] = filesOf('broker.fluidos.eu')
/** Those of a cluster with an agent. */
export const agentKinds: readonly string[] = filesOf('liqo.io')

function filesOf(group: string): string[] {
  const names = readdirSync(BASES).filter((name) => name.startsWith(`${group}_`))
  return names.map((name) => join(BASES, name))
}
