import { join } from 'node:path'
import { repositoryRoot } from '../broker-process.ts'
import { createPart, type Part } from '../control-plane/part.ts'
import { fetchAnew } from '../fetch-anew.ts'
import { quietPorts } from '../quiet-ports.ts'

type Options = Readonly<{
  id: string
  /** As whom it looks at its cluster. */
  kubeconfig: string
  certPath: string
  brokerUrl: string
  flags: readonly string[]
  env: Readonly<Record<string, string>>
}>

/** `bin/agent` of one cluster; it counts as started when it says that it is ready. */
export async function createAgent(
  options: Options,
): Promise<Readonly<{ agent: Part; healthUrl: string; metricsUrl: string }>> {
  const { id, kubeconfig, certPath, brokerUrl, flags, env } = options
  const [health = 0, metrics = 0] = await quietPorts(2)
  const healthUrl = `http://127.0.0.1:${health}`
  const agent = createPart({
    name: `the agent of ${id}`,
    command: [
      join(repositoryRoot, 'bin', 'agent'),
      `--cluster-id=${id}`,
      `--broker-url=${brokerUrl}`,
      `--broker-cert-path=${certPath}`,
      `--kubeconfig=${kubeconfig}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      ...flags,
    ],
    env,
    isReady: () => fetchAnew(`${healthUrl}/readyz`).then(({ ok }) => ok, refused),
  })
  return { agent, healthUrl, metricsUrl: `http://127.0.0.1:${metrics}/metrics` }
}

const refused = () => false
