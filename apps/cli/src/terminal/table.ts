import { type Paint, widthOf } from './colours.ts'

export type Column<Row> = Readonly<{
  title: string
  align?: 'left' | 'right'
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
  const cells = rows.map((row) => columns.map((column) => column.cell(row) || '-'))
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

function padded(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return align === 'left' ? text + space : space + text
}
