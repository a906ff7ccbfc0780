import { join } from 'node:path'
import { repositoryRoot } from '../processes/broker-process.ts'
import { type Child, startChild } from '../processes/child.ts'
import { createPart, type Part } from '../processes/part.ts'
import { fetchAnew, isUp } from '../processes/probe.ts'
import { quietPorts } from '../processes/quiet-ports.ts'

type Options = Readonly<{
  /** The credentials of the agent in its cluster. */
  kubeconfig: string
  certPath: string
  brokerUrl: string
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
}>

/** `bin/agent` of one cluster; it counts as started when it says that it is ready. */
export async function createAgent(
  id: string,
  options: Options,
): Promise<Readonly<{ agent: Part; healthUrl: string; metricsUrl: string }>> {
  const flags = [`--cluster-id=${id}`, ...(options.flags ?? [])]
  const { command, healthUrl, metricsUrl } = await commandOf({ ...options, flags })
  const agent = createPart({
    name: `the agent of ${id}`,
    command,
    env: options.env ?? {},
    isReady: () => isUp(`${healthUrl}/readyz`),
  })
  return { agent, healthUrl, metricsUrl }
}

export type AgentProcess = Readonly<{
  child: Child
  /** What /readyz says: whether it is ready, and the state of each check. */
  readiness(): Promise<{ isReady: boolean; checks: Readonly<Record<string, string>> }>
  metrics(): Promise<string>
  stop(): Promise<void>
}>

/** Starts `bin/agent` without waiting until it is ready. */
export async function startAgent(options: Options): Promise<AgentProcess> {
  const { command, healthUrl, metricsUrl } = await commandOf(options)
  const child = startChild(command, { env: options.env ?? {} })

  return {
    child,
    async readiness() {
      const answer = await fetchAnew(`${healthUrl}/readyz`).catch(() => undefined)
      if (!answer) return { isReady: false, checks: { agent: 'not listening' } }
      const { checks = {} } = (await answer.json()) as { checks?: Record<string, string> }
      return { isReady: answer.status === 200, checks }
    },
    async metrics() {
      return (await fetchAnew(metricsUrl)).text()
    },
    async stop() {
      if (!child.exit()) child.kill('SIGTERM')
      await child.exited
    },
  }
}

async function commandOf({ brokerUrl, certPath, kubeconfig, flags = [] }: Options) {
  const [health = 0, metrics = 0] = await quietPorts(2)
  return {
    command: [
      join(repositoryRoot, 'bin', 'agent'),
      `--broker-url=${brokerUrl}`,
      `--broker-cert-path=${certPath}`,
      `--kubeconfig=${kubeconfig}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      ...flags,
    ],
    healthUrl: `http://127.0.0.1:${health}`,
    metricsUrl: `http://127.0.0.1:${metrics}/metrics`,
  }
}
