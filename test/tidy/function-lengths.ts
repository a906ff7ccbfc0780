export type FunctionLength = Readonly<{ line: number; name: string; length: number }>

const OPENING =
  /(?:function\*?\s*(?<named>\w*)\s*(?:<[^{]*?>)?\(|(?<method>^\s*(?:async\s+)?\*?\w+)\s*\([^;]*\)[^;=]*\{\s*$|=>\s*\{\s*$)/

/**
 * How long each function is without the functions inside it: a factory is as long as its own
 * statements, not as long as everything that closes over them. Good for tails, not exact.
 */
export function functionLengths(lines: readonly string[]): FunctionLength[] {
  const code = lines.map(withoutStrings)
  const found: FunctionLength[] = []
  const open: { line: number; name: string; depth: number; inner: number }[] = []
  let depth = 0
  let waiting: { line: number; name: string } | undefined
  for (const [at, line] of code.entries()) {
    const match = OPENING.exec(line)
    if (match && !/^\s*(?:if|for|while|switch|catch|return)\b/.test(line))
      waiting = { line: at + 1, name: match.groups?.named || match.groups?.method?.trim() || '=>' }
    for (const character of line) {
      if (character === '{') {
        if (waiting && /\{\s*$/.test(line)) {
          open.push({ ...waiting, depth, inner: 0 })
          waiting = undefined
        }
        depth++
      }
      if (character !== '}') continue
      depth--
      if (open.at(-1)?.depth !== depth) continue
      const { line: from, name, inner } = open.pop() ?? { line: at, name: '', inner: 0 }
      const whole = at + 2 - from
      found.push({ line: from, name, length: whole - inner })
      const parent = open.at(-1)
      if (parent) parent.inner += whole
    }
  }
  return found
}

function withoutStrings(line: string): string {
  return line
    .replace(/\\./g, '')
    .replace(/'[^']*'|"[^"]*"|`[^`]*`/g, "''")
    .replace(/\/\/.*$/, '')
    .replace(/^\s*\*.*$/, '')
}
