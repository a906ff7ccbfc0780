import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const patches = join(root, 'test/simulation/planted')

/** Bugs of one line, each with a sentence that says what it breaks. */
export function plantedBugs(): string[] {
  const files = readdirSync(patches).filter((name) => name.endsWith('.patch'))
  return files.map((name) => name.replace('.patch', '')).sort()
}

/** What the simulation prints about the sources with this bug in them; empty: it found nothing. */
export async function simulateWith(bug: string, stories: number): Promise<string> {
  const copy = copyOfSources()
  try {
    execFileSync('git', ['apply', join(patches, `${bug}.patch`)], { cwd: copy })
    return await findings(copy, stories)
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** The domain and the simulation, in a folder of their own. */
function copyOfSources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'bourse-planted-'))
  for (const part of ['packages/domain/src', 'packages/domain/package.json', 'test/simulation'])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  for (const part of ['packages/testkit/src/chance.ts', 'packages/testkit/package.json'])
    cpSync(join(root, part), join(copy, part))
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  mkdirSync(join(copy, 'node_modules/@bourse'), { recursive: true })
  for (const name of ['domain', 'testkit'])
    symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@bourse', name))
  return copy
}

function findings(copy: string, stories: number): Promise<string> {
  const env = {
    ...process.env,
    SECONDS: '',
    STORIES: `${stories}`,
    SEED: '1',
    FAILURES: '1',
    KEEP: '',
  }
  return new Promise((resolve) => {
    const program = join(copy, 'test/simulation/main.ts')
    execFile(process.execPath, [program], { cwd: copy, env }, (error, stdout, stderr) =>
      resolve(error ? `${stdout}${stderr}` : ''),
    )
  })
}
