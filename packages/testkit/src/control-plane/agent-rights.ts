import { join } from 'node:path'
import { createKubeClient, loadConnection } from '@bourse/kube'
import { repositoryRoot } from '../broker-process.ts'
import type { ControlPlane } from './control-plane.ts'

/** Folders of `config/` that an agent may have beside its RBAC. */
type Extra = 'agent-admission' | 'agent-networking' | 'agent-placeholders'

const AGENT = { user: 'system:serviceaccount:bourse-system:bourse-agent' }

/** A kubeconfig of the agent, with the rights that the chart gives it and no others. */
export async function grantAgentRights(
  { kubectl, kubeconfigFor }: Pick<ControlPlane, 'kubectl' | 'kubeconfigFor'>,
  ...extras: readonly Extra[]
): Promise<string> {
  const config = (path: string) => join(repositoryRoot, 'config', path)
  await kubectl(['apply', `--filename=${config('default/namespace.yaml')}`])
  for (const folder of ['agent-rbac', ...extras])
    await kubectl(['apply', '--server-side', `--kustomize=${config(folder)}`])
  return kubeconfigFor(AGENT)
}

/** Two who speak with an API server: an administrator, who plays all others, and the agent. */
export async function connectAgent(controlPlane: ControlPlane, ...extras: readonly Extra[]) {
  const connect = async (kubeconfig: string) =>
    createKubeClient(await loadConnection({ kubeconfig }))
  const admin = await connect(controlPlane.adminKubeconfig)
  const agent = await connect(await grantAgentRights(controlPlane, ...extras))
  return {
    admin,
    agent,
    async close(): Promise<void> {
      await Promise.all([admin.close(), agent.close()])
    },
  }
}
