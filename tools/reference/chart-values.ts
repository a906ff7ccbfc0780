import { readFileSync } from 'node:fs'
import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml'
import { code, page, table, written } from './table.ts'

const CHARTS = ['bourse-broker', 'bourse-agent'] as const

type Schema = Readonly<{
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  items?: Schema
  definitions?: Readonly<Record<string, Schema>>
  properties?: Readonly<Record<string, Schema>>
}>

/** docs/reference/chart-values.md: what `helm install --set` takes. */
export function chartValuesPage(root: URL): string {
  return page(
    '# Values of the charts',
    written('their `values.yaml` and `values.schema.json`'),
    ...CHARTS.flatMap((chart) => [`## ${chart}`, ...valuesOf(new URL(`charts/${chart}/`, root))]),
  )
}

function valuesOf(chart: URL): string[] {
  const text = readFileSync(new URL('values.yaml', chart), 'utf8')
  const schema = JSON.parse(readFileSync(new URL('values.schema.json', chart), 'utf8')) as Schema
  const { contents } = parseDocument(text)
  if (!isMap(contents)) throw new Error(`${chart} has no values`)
  const [about = ''] = text.split('\n\n')
  return [
    plain(about.split('\n')),
    table(['value', 'takes', 'default', ''], rowsOf(contents, { text, schema, path: [] })),
  ]
}

type Place = Readonly<{ text: string; schema: Schema; path: readonly string[] }>

function rowsOf(map: YAMLMap, { text, schema, path }: Place): string[][] {
  return map.items.flatMap(({ key, value }) => {
    if (!isScalar(key)) return []
    const here = [...path, `${key.value}`]
    const about = commentAbove(text, key.range?.[0] ?? 0)
    const field = within(schema, here)
    if (!isMap(value) || field.properties === undefined)
      return [[code(here.join('.')), takes(field, schema), code(JSON.stringify(value)), about]]
    const inner = rowsOf(value, { text, schema, path: here })
    return about === '' ? inner : [[code(here.join('.')), '', '', about], ...inner]
  })
}

/** The lines of comment that end right above. */
function commentAbove(text: string, offset: number): string {
  const above = text.slice(0, offset).split('\n').slice(0, -1)
  const start = above.findLastIndex((line) => !/^ *#/.test(line)) + 1
  return plain(above.slice(start))
}

function within(schema: Schema, path: readonly string[]): Schema {
  return path.reduce((one, name) => one.properties?.[name] ?? {}, schema)
}

function takes(field: Schema, root: Schema): string {
  const name = field.$ref?.split('/').at(-1)
  if (name !== undefined) {
    const named = root.definitions?.[name] ?? {}
    // A text or a number of some form is called by its name.
    return named.type === 'object' || named.type === 'array' ? takes(named, root) : name
  }
  if (field.enum) return field.enum.map((value) => code(`${value}`)).join(', ')
  if (field.type === 'array') return `list of ${takes(field.items ?? {}, root)}`
  return [field.type ?? ''].flat().join(' or ')
}

function plain(comment: readonly string[]): string {
  return comment.map((line) => line.replace(/^ *# ?/, '').trim()).join(' ')
}
