import { type Paint, widthOf } from './colours.ts'

export type Column<Row> = Readonly<{
  title: string
  /** `point`: numbers have their decimal points under each other. */
  align?: 'left' | 'right' | 'point'
  /** Empty texts are shown as a dash, so that columns stay columns for awk and the eye. */
  cell(row: Row): string
}>

const GAP = '  '

/** Rows under their titles, each column as wide as its widest cell; nothing is ever cut off. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  paint: Paint,
): string {
  const byColumn = columns.map((column) => {
    const texts = rows.map((row) => column.cell(row) || '-')
    return column.align === 'point' ? pointed(texts) : texts
  })
  const cells = rows.map((_, at) => byColumn.map((texts) => texts[at] ?? ''))
  const widths = columns.map((column, at) =>
    Math.max(widthOf(column.title), ...cells.map((line) => widthOf(line[at] ?? ''))),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => padded(text, widths[at] ?? 0, columns[at]?.align ?? 'left'))
      .join(GAP)
      .trimEnd()
  const titles = line(columns.map((column) => column.title))
  return [paint(titles, 'bold'), ...cells.map(line)].join('\n')
}

/** `name  value` pairs, the values under each other. */
export function renderPairs(pairs: readonly (readonly [string, string])[]): string {
  const shown = pairs.filter(([, value]) => value !== '')
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}${GAP}${value}`).join('\n')
}

/** `0.5 USD` and `0.125 USD`: a shorter fraction is followed by spaces. */
function pointed(texts: readonly string[]): string[] {
  const parts = texts.map((text) => /^(\d+)(\.\d+)?(.*)$/.exec(text))
  const longest = Math.max(0, ...parts.map((part) => part?.[2]?.length ?? 0))
  return texts.map((text, at) => {
    const [, whole, fraction = '', rest = ''] = parts[at] ?? []
    return whole === undefined ? text : `${whole}${fraction.padEnd(longest)}${rest}`
  })
}

function padded(text: string, width: number, align: 'left' | 'right' | 'point'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return align === 'left' ? text + space : space + text
}
