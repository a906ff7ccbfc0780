import { runProgram } from '../processes/run-program.ts'

/** Runs kubectl and returns its output. A refusal is thrown with kubectl's message. */
export type Kubectl = (args: readonly string[], stdin?: string) => Promise<string>

type Options = Readonly<{
  binary: string
  kubeconfig: string
  cacheDir: string
  /** Ends the calls that still wait when the control plane stops. */
  signal: AbortSignal
}>

export function createKubectl({ binary, kubeconfig, cacheDir, signal }: Options): Kubectl {
  // The cache is kept by address, and another control plane may have had ours.
  const always = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${cacheDir}`]
  return (args, stdin = '') => {
    const title = `kubectl ${args.join(' ')}`
    return runProgram([binary, ...always, ...args], { stdin, signal, title })
  }
}
