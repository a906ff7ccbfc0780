import { runProgram } from '../processes/run-program.ts'

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
  return (args, stdin = '') => {
    const title = `kubectl ${args.join(' ')}`
    return runProgram([binary, ...always, ...args], { stdin, signal, title })
  }
}
