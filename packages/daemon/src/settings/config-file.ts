import { readFile } from 'node:fs/promises'

export type ConfigFile =
  | Readonly<{ kind: 'entries'; path: string; entries: ReadonlyMap<string, string> }>
  | Readonly<{ kind: 'bad'; problems: readonly string[] }>

/** A file of settings, YAML or JSON (which YAML contains); its keys are the flags' names. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const parsed = await parsedText(path, await readFile(path, 'utf8'))
  if ('fault' in parsed)
    return { kind: 'bad', problems: [`${path} is not YAML or JSON: ${parsed.fault}`] }
  const content = parsed.content ?? {}
  if (!isTable(content))
    return {
      kind: 'bad',
      problems: [`${path} must hold keys and values, such as http-port: 8443.`],
    }

  const entries = new Map<string, string>()
  const problems: string[] = []
  for (const [key, value] of Object.entries(content)) {
    const written = writtenForm(value)
    if (written === undefined)
      problems.push(
        `The value of ${key} in ${path} is not text, a number, true, false, or a list or table of these.`,
      )
    else entries.set(key, written)
  }
  return problems.length > 0 ? { kind: 'bad', problems } : { kind: 'entries', path, entries }
}

/** Lists and tables in the form of a flag: `a,b` and `name=1,other=2`. */
function writtenForm(value: unknown): string | undefined {
  if (isPlain(value)) return String(value)
  if (Array.isArray(value) && value.every(isPlain)) return value.join(',')
  if (isTable(value) && Object.values(value).every(isPlain))
    return Object.entries(value)
      .map(([name, item]) => `${name}=${item}`)
      .join(',')
  return undefined
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Parsed = Readonly<{ content: unknown } | { fault: string }>

/** The YAML library takes megabytes for the life of the process, so JSON is parsed without it. */
async function parsedText(path: string, text: string): Promise<Parsed> {
  if (path.endsWith('.json')) return parsedJson(text)
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text)
  const fault = document.errors[0]
  return fault ? { fault: fault.message } : { content: document.toJS() }
}

function parsedJson(text: string): Parsed {
  try {
    return { content: JSON.parse(text) }
  } catch (fault) {
    return { fault: String(fault instanceof Error ? fault.message : fault) }
  }
}
