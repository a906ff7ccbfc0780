import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Runs kubectl and hands back what it printed; a refusal is thrown in kubectl's own words. */
export type Kubectl = (args: readonly string[], stdin?: string) => Promise<string>

type Options = Readonly<{
  binary: string
  kubeconfig: string
  cacheDir: string
  /** Ends those that still wait for an answer when the control plane stops. */
  signal: AbortSignal
}>

export function createKubectl({ binary, kubeconfig, cacheDir, signal }: Options): Kubectl {
  // The cache is kept by address, and another control plane may have had ours.
  const always = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${cacheDir}`]
  return async (args, stdin = '') => {
    const started = spawn(binary, [...always, ...args], { signal, killSignal: 'SIGKILL' })
    // Some commands end without reading what they were given.
    started.stdin.on('error', () => {})
    started.stdin.end(stdin)
    const [out, err, code] = await Promise.all([
      text(started.stdout),
      text(started.stderr),
      new Promise<number | null>((resolve, reject) => {
        started.once('error', reject)
        started.once('close', resolve)
      }),
    ])
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${err.trim() || out.trim()}`)
    return out
  }
}
