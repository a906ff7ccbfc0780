import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../broker-process.ts'

export type Tool =
  | 'etcd'
  | 'kube-apiserver'
  | 'kubectl'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kwok'

/** Where the built programs are; only the script knows how their directory is named. */
export function findTools(): (tool: Tool) => string {
  const script = join(repositoryRoot, 'tools', 'build-kubernetes')
  const dir = execFileSync(script, ['--where'], { encoding: 'utf8' }).trim()
  return (tool) => {
    const path = join(dir, tool)
    if (!existsSync(path))
      throw new Error(`${tool} is not built yet: run \`make tools\` (once, 7 to 10 minutes).`)
    return path
  }
}
