import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export type SourceFile = Readonly<{ path: string; text: string; lines: readonly string[] }>

const root = new URL('../../', import.meta.url)

/** Every file that git knows, or would know if it were added now. */
export function sourceFiles(pattern: RegExp): SourceFile[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const paths = [...new Set(listed.split('\n'))].filter((path) => pattern.test(path))
  return paths.flatMap((path) => {
    const text = readIfThere(path)
    return text === undefined ? [] : [{ path, text, lines: text.split('\n') }]
  })
}

/** A file that was removed but not yet committed is still listed. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, root), 'utf8')
  } catch {
    return undefined
  }
}
