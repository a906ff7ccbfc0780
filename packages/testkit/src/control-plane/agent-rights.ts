import { join } from 'node:path'
import { createKubeClient, loadConnection } from '@bourse/kube'
import { repositoryRoot } from '../processes/broker-process.ts'
import type { ControlPlane } from './control-plane.ts'

/** Folders of `config/` that an agent may have beside its RBAC. */
type Extra =
  | 'agent-admission'
  | 'agent-networking'
  | 'agent-placeholders'
  | 'agent-liqoctl'
  | 'agent-liqoctl-networking'

const AGENT = { user: 'system:serviceaccount:bourse-system:bourse-agent' }

/** A kubeconfig of the agent, with the rights that the chart gives it and no others. */
export async function grantAgentRights(
  { kubectl, kubeconfigFor }: Pick<ControlPlane, 'kubectl' | 'kubeconfigFor'>,
  ...extras: readonly Extra[]
): Promise<string> {
  const config = (path: string) => join(repositoryRoot, 'config', path)
  await kubectl(['apply', `--filename=${config('default/namespace.yaml')}`])
  const byLiqoctl = extras.includes('agent-liqoctl')
  if (byLiqoctl) await kubectl(['apply', '--filename=-'], JSON.stringify(LIQO))
  // An agent that peers by liqoctl has none of the rights for native peering.
  const base = byLiqoctl
    ? `--filename=${config('agent-rbac/agent.yaml')}`
    : kustomized('agent-rbac')
  for (const from of [base, ...extras.map(kustomized)])
    await kubectl(['apply', '--server-side', from])
  return kubeconfigFor(AGENT)

  function kustomized(folder: string): string {
    return `--kustomize=${config(folder)}`
  }
}

/** Where some of the rights are bound. */
const LIQO = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'liqo' } }

/** Two clients of an API server: an administrator, in the role of all others, and the agent. */
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
