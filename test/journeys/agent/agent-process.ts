import { join } from 'node:path'
import { type Child, fetchAnew, quietPorts, repositoryRoot, startChild } from '@bourse/testkit'

export type AgentProcess = Readonly<{
  child: Child
  /** What /readyz says: whether it is ready, and the word of each part. */
  readiness(): Promise<{ isReady: boolean; checks: Readonly<Record<string, string>> }>
  metrics(): Promise<string>
  stop(): Promise<void>
}>

type Options = Readonly<{
  brokerUrl: string
  certPath: string
  kubeconfig: string
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
}>

/** `bin/agent` as a process of its own. */
export async function startAgent(options: Options): Promise<AgentProcess> {
  const { brokerUrl, certPath, kubeconfig, flags = [], env = {} } = options
  const [health = 0, metrics = 0] = await quietPorts(2)
  const command = [
    join(repositoryRoot, 'bin', 'agent'),
    `--broker-url=${brokerUrl}`,
    `--broker-cert-path=${certPath}`,
    `--kubeconfig=${kubeconfig}`,
    `--health-probe-bind-address=127.0.0.1:${health}`,
    `--metrics-bind-address=127.0.0.1:${metrics}`,
    ...flags,
  ]
  const child = startChild(command, { env })

  return {
    child,
    async readiness() {
      const answer = await fetchAnew(`http://127.0.0.1:${health}/readyz`).catch(() => undefined)
      if (!answer) return { isReady: false, checks: { agent: 'not listening' } }
      const { checks = {} } = (await answer.json()) as { checks?: Record<string, string> }
      return { isReady: answer.status === 200, checks }
    },
    async metrics() {
      return (await fetchAnew(`http://127.0.0.1:${metrics}/metrics`)).text()
    },
    async stop() {
      if (!child.exit()) child.kill('SIGTERM')
      await child.exited
    },
  }
}
