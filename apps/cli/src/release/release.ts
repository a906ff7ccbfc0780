import type { Command } from 'commander'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import { type SecretFiles, withSecrets } from './secret-files.ts'

/** A broker that Helm has installed, and the Secrets that its chart makes for it. */
export type Release = Readonly<{
  namespace: string
  name: string
  secrets: Readonly<{ authority: string; broker: string; operator: string }>
}>

export type KubernetesFlags = Readonly<{ kubeconfig?: string; context?: string }>

export const RELEASE = '--release <namespace/name>'
const NAME = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'

/** Names as the chart gives them: `charts/bourse-broker/templates/_names.tpl`. */
export function readRelease(text: string): Release {
  const [, namespace = '', name = ''] = new RegExp(`^(${NAME})/(${NAME})$`).exec(text) ?? []
  if (name === '')
    throw new CliError(
      ExitCode.usage,
      `--release ${text} is not the name of a release.`,
      'Write NAMESPACE/NAME, such as bourse-system/bourse-broker.',
    )
  return {
    namespace,
    name,
    secrets: {
      authority: `${name}-ca`,
      broker: `${name}-certificates`,
      operator: `${name}-operator`,
    },
  }
}

/** The flags of every verb that may use Kubernetes. */
export function withKubernetes(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'with --release: where Kubernetes is (default: as kubectl)')
    .option('--context <name>', 'with --release: context of the kubeconfig')
}

/** The Secrets of a release, with the rights that the caller has in Kubernetes. */
export function withReleaseSecrets<T>(
  { namespace }: Release,
  { kubeconfig, context }: KubernetesFlags,
  work: (secrets: SecretFiles) => Promise<T>,
): Promise<T> {
  return withSecrets(namespace, { kubeconfig, context }, work)
}
