import type { Kind, KubeClient, KubeObject } from '@bourse/kube'
import { CliError, ExitCode } from '../terminal/cli-error.ts'

export type Files = Readonly<Record<string, string>>

/** Secrets as directories of files. */
export type SecretFiles = {
  read(secret: string): Promise<Files>
  /** Replaces all files of a Secret that was read. Refused if it has changed since. */
  write(secret: string, files: Files): Promise<void>
}

type Secret = KubeObject & Readonly<{ data?: Files }>

const SECRET: Kind = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
}

/** What Kubernetes allows. An API server with others would have us write anywhere. */
const FILE = /^(?!\.\.)[-.\w]+$/

/** Connects to Kubernetes for as long as the work takes. */
export async function withSecrets<T>(
  namespace: string,
  where: Readonly<{ kubeconfig?: string | undefined; context?: string | undefined }>,
  work: (secrets: SecretFiles) => Promise<T>,
): Promise<T> {
  const { createKubeClient, loadConnection } = await import('@bourse/kube')
  const client = createKubeClient(await loadConnection(where))
  return work(createSecretFiles(client, namespace)).finally(() => client.close())
}

function createSecretFiles(client: KubeClient, namespace: string): SecretFiles {
  const known = new Map<string, Secret>()
  const attempt = <T>(secret: string, call: Promise<T>) =>
    call.catch((fault: Error) => {
      throw named(fault, `${namespace}/${secret}`)
    })

  return {
    async read(name) {
      const secret = await attempt(name, client.get<Secret>(SECRET, name, namespace))
      known.set(name, secret)
      const { data = {} } = secret
      const stray = Object.keys(data).find((file) => !FILE.test(file))
      if (stray === undefined) return recoded(data, 'base64', 'utf8')
      const what = `The Secret ${namespace}/${name} has ${JSON.stringify(stray)}`
      throw new CliError(ExitCode.fault, `${what}, which is not the name of a file.`)
    },
    async write(name, files) {
      const before = known.get(name)
      const data = recoded(files, 'utf8', 'base64')
      if (!before || isSame(before.data ?? {}, data)) return
      // With the version that was read: of two writers the second is refused.
      const call = client.replace<Secret>(SECRET, { ...before, data })
      known.set(name, await attempt(name, call))
    },
  }
}

function recoded(files: Files, from: BufferEncoding, to: BufferEncoding): Files {
  const entries = Object.entries(files)
  return Object.fromEntries(
    entries.map(([name, text]) => [name, Buffer.from(text, from).toString(to)]),
  )
}

function isSame(a: Files, b: Files): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every((name) => a[name] === b[name])
}

/** What a person can do about the answer. */
function named(fault: Error, secret: string): Error {
  const { status = 0 } = fault as { status?: number }
  switch (status) {
    case 403:
      return new CliError(
        ExitCode.forbidden,
        `You may not use the Secret ${secret}: ${fault.message}`,
        'Ask an administrator of that namespace, or choose another --context.',
      )
    case 404:
      return new CliError(
        ExitCode.notFound,
        `There is no Secret ${secret}.`,
        'Check --release and --context. The chart makes it, unless http.certificates.secretName is set.',
      )
    case 409:
      return new CliError(
        ExitCode.refused,
        `The Secret ${secret} was changed by another meanwhile.`,
        'Nothing was done. Try again.',
      )
    default:
      return fault
  }
}
