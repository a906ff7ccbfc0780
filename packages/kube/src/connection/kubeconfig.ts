import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConnectionRefused } from './connection.ts'

export type ClusterEntry = Readonly<{
  server: string
  'certificate-authority'?: string
  'certificate-authority-data'?: string
  'insecure-skip-tls-verify'?: boolean
  'tls-server-name'?: string
  'proxy-url'?: string
}>

export type ExecEntry = Readonly<{
  apiVersion?: string
  command: string
  args?: readonly string[] | null
  env?: readonly Readonly<{ name: string; value: string }>[] | null
  installHint?: string
  interactiveMode?: string
  provideClusterInfo?: boolean
}>

export type UserEntry = Readonly<{
  'client-certificate'?: string
  'client-certificate-data'?: string
  'client-key'?: string
  'client-key-data'?: string
  token?: string
  tokenFile?: string
  username?: string
  password?: string
  as?: string
  'as-groups'?: readonly string[]
  exec?: ExecEntry
  'auth-provider'?: unknown
}>

/** One context with its cluster and user; paths are absolute. */
export type Chosen = Readonly<{
  context: string
  namespace: string
  cluster: ClusterEntry
  user: UserEntry
  file: string
}>

type Named<Field extends string, Value> = Readonly<{ name: string } & { [Key in Field]: Value }>
type ContextEntry = Readonly<{ cluster: string; user?: string; namespace?: string }>
type Kubeconfig = Readonly<{
  'current-context'?: string
  clusters?: readonly Named<'cluster', ClusterEntry>[] | null
  users?: readonly Named<'user', UserEntry>[] | null
  contexts?: readonly Named<'context', ContextEntry>[] | null
}>

/** Several files are merged: of two entries with the same name the first wins. */
export async function chooseContext(
  files: readonly string[],
  wanted: string | undefined,
): Promise<Chosen> {
  const configs = await Promise.all(files.map(readKubeconfig))
  const where = files.join(', ')
  const name = wanted ?? configs.map((one) => one['current-context']).find(Boolean)
  if (!name)
    throw new ConnectionRefused(`${where} names no current-context; choose one of its contexts.`)
  const context = find(configs, (one) => one.contexts, name)?.context
  if (!context) throw new ConnectionRefused(missing('context', name, where, namesOf(configs)))
  const cluster = find(configs, (one) => one.clusters, context.cluster)?.cluster
  if (!cluster?.server) throw new ConnectionRefused(missing('cluster', context.cluster, where))
  const user = context.user ? find(configs, (one) => one.users, context.user)?.user : {}
  if (!user) throw new ConnectionRefused(missing('user', String(context.user), where))
  return { context: name, namespace: context.namespace || 'default', cluster, user, file: where }
}

function namesOf(configs: readonly Kubeconfig[]): string {
  const names = configs.flatMap((one) => (one.contexts ?? []).map(({ name }) => name))
  return names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
}

function missing(what: string, name: string, where: string, others = ''): string {
  return `${where} has no ${what} ${name}${others === '' ? '' : `; ${others}`}.`
}

function find<T extends { name: string }>(
  configs: readonly Kubeconfig[],
  listOf: (config: Kubeconfig) => readonly T[] | null | undefined,
  name: string,
): T | undefined {
  return configs.flatMap((config) => listOf(config) ?? []).find((one) => one.name === name)
}

async function readKubeconfig(file: string): Promise<Kubeconfig> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new ConnectionRefused(`The kubeconfig ${file} cannot be read.`, { cause })
  })
  return withAbsolutePaths(await parsed(text, file), dirname(file))
}

async function parsed(text: string, file: string): Promise<Kubeconfig> {
  // In a pod a kubeconfig is JSON, if there is one; loading the YAML library costs memory.
  const parse: (text: string) => unknown = file.endsWith('.json')
    ? JSON.parse
    : (await import('yaml')).parse
  try {
    const config = parse(text) as Kubeconfig | null
    if (typeof config === 'object' && config !== null) return config
  } catch (cause) {
    throw new ConnectionRefused(`The kubeconfig ${file} is not YAML or JSON.`, { cause })
  }
  throw new ConnectionRefused(`The kubeconfig ${file} is empty.`)
}

const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']

/** Paths in a kubeconfig are relative to its file. */
function withAbsolutePaths(config: Kubeconfig, dir: string): Kubeconfig {
  const absolute = <T extends object>(entry: T): T => {
    const paths = Object.entries(entry).filter(([name, value]) => PATHS.includes(name) && value)
    const resolved = paths.map(([name, value]) => [name, resolve(dir, String(value))])
    return { ...entry, ...Object.fromEntries(resolved) }
  }
  return {
    ...config,
    clusters: (config.clusters ?? []).map((one) => ({ ...one, cluster: absolute(one.cluster) })),
    users: (config.users ?? []).map((one) => ({
      ...one,
      user: withCommand(absolute(one.user ?? {}), dir),
    })),
  }
}

/** As in kubectl: a command with a slash is relative to the file, others are looked up in PATH. */
function withCommand(user: UserEntry, dir: string): UserEntry {
  const { exec } = user
  if (!exec?.command.includes('/')) return user
  return { ...user, exec: { ...exec, command: resolve(dir, exec.command) } }
}
