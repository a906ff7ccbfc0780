import { pause, systemClock } from '@bourse/kube'
import { type Child, startChild } from '../processes/child.ts'

export type KeptRunning = Readonly<{ stop(): Promise<void>; logs(): string }>

const PAUSE_MS = 200
const GRACE_MS = 2_000

/** Starts it again whenever it gives up, as a Deployment does with its pods. */
export function keepRunning(
  command: () => Promise<readonly string[]>,
  env: Readonly<Record<string, string>>,
): KeptRunning {
  const stopping = new AbortController()
  let child: Child | undefined
  let earlier = ''

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const next = await command()
      if (stopping.signal.aborted) return
      child = startChild(next, { env })
      await child.exited
      earlier += child.output()
      child = undefined
      await pause(systemClock, PAUSE_MS, stopping.signal)
    }
  }
  const ended = run()
  return {
    async stop() {
      stopping.abort()
      if (child && !child.exit()) await end(child)
      await ended
    },
    logs: () => earlier + (child?.output() ?? ''),
  }
}

/** Asked first, as a pod is: it hands over its leases, which others would wait for. */
async function end(child: Child): Promise<void> {
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  await child.exited
  clearTimeout(late)
}
