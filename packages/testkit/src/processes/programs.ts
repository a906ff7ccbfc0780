import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from './broker-process.ts'

/** Where a script of tools/ puts what it builds; only the script knows how the directory is named. */
export function findPrograms<Name extends string>(script: string): (name: Name) => string {
  const dir = askTool(script, '--where')
  return (name) => {
    const path = join(dir, name)
    if (!existsSync(path)) throw new Error(`${name} is not built yet: run \`make tools\` (once).`)
    return path
  }
}

export function askTool(script: string, question: string): string {
  const path = join(repositoryRoot, 'tools', script)
  return execFileSync(path, [question], { encoding: 'utf8' }).trim()
}
