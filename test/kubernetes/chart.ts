import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { repositoryRoot } from '@bourse/testkit'
import { parseAllDocuments } from 'yaml'

export const run = promisify(execFile)
export const here = { cwd: repositoryRoot, encoding: 'utf8' } as const

type Manifest = {
  kind: string
  metadata: { name: string }
  spec?: { template?: { spec: object } }
}

export async function helmPath(): Promise<string> {
  const { stdout } = await run('tools/install-helm', ['--where'], here)
  return stdout.trim()
}

export async function helm(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(await helmPath(), args, here)
  return stdout
}

/** A chart of ours, as it would be installed with some values. */
export function aChart(name: string) {
  const path = `charts/${name}`
  const template = (...values: readonly string[]) =>
    helm('template', name, path, '-n=bourse-system', '--kube-version=1.36.0', ...values)

  async function manifests(...values: readonly string[]): Promise<Manifest[]> {
    const documents = parseAllDocuments(await template(...values))
    // The chart renders Kubernetes objects only; a document may be empty.
    return documents.map((one) => one.toJS() as Manifest | null).filter((one) => one !== null)
  }
  return { path, template, manifests }
}
