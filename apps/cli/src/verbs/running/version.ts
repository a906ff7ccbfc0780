import { readFileSync } from 'node:fs'
import type { Define } from '../../terminal/verb.ts'

export const define: Define = (command, terminal) => {
  command.action(() => terminal.out(versionLine()))
}

export function versionLine(): string {
  return `bourse ${version()} (node ${process.versions.node})`
}

function version(): string {
  const path = new URL('../../../package.json', import.meta.url)
  // Our own manifest, which npm itself would not accept without a version.
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}
