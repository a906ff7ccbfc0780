import { join } from 'node:path'
import { repositoryRoot } from '../broker-process.ts'
import type { ControlPlane } from '../control-plane/control-plane.ts'
import { createPart, type Part } from '../control-plane/part.ts'
import { freePorts } from '../free-ports.ts'

type Options = Readonly<{
  id: string
  controlPlane: ControlPlane
  certPath: string
  brokerUrl: string
  flags: readonly string[]
}>

/** `bin/agent` of one cluster; it counts as started when it says that it is ready. */
export async function createAgent(
  options: Options,
): Promise<Readonly<{ agent: Part; healthUrl: string; metricsUrl: string }>> {
  const { id, controlPlane, certPath, brokerUrl, flags } = options
  const [health = 0, metrics = 0] = await freePorts(2)
  const healthUrl = `http://127.0.0.1:${health}`
  const agent = createPart({
    name: `the agent of ${id}`,
    command: [
      join(repositoryRoot, 'bin', 'agent'),
      `--cluster-id=${id}`,
      `--broker-url=${brokerUrl}`,
      `--broker-cert-path=${certPath}`,
      `--kubeconfig=${controlPlane.adminKubeconfig}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      ...flags,
    ],
    isReady: () => fetch(`${healthUrl}/readyz`).then(({ ok }) => ok, refused),
  })
  return { agent, healthUrl, metricsUrl: `http://127.0.0.1:${metrics}/metrics` }
}

const refused = () => false
