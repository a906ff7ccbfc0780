/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cellOf).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** A bar would end the cell, and `<name>` would be a tag unless it is code. */
function cellOf(text: string): string {
  return text.replaceAll('|', '\\|').replace(/(`[^`]*`)|</g, (_, span) => span ?? '\\<')
}

export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}

/** Parts of a page, a blank line between. */
export function page(...parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`
}

export function written(from: string): string {
  return `*Written by \`make docs\` from ${from}; do not edit.*`
}
