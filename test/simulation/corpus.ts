import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Shape } from './parts/shape.ts'
import type { Step } from './parts/step.ts'

/** A story that failed once, as short as it could be made. */
export type Kept = Readonly<{
  name: string
  /** What was broken. */
  found: string
  seed: number
  shape: Pick<Shape, 'weights' | 'limits'>
  steps: readonly Step[]
}>

const folder = new URL('corpus/', import.meta.url)

export function readCorpus(): Kept[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.sort().map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    // Written by `keep`.
    return { name: file.replace('.json', ''), ...(JSON.parse(text, revived) as Omit<Kept, 'name'>) }
  })
}

export function keep({ name, found, seed, shape, steps }: Kept): string {
  const { weights, limits } = shape
  const head = JSON.stringify({ found, seed, shape: { weights, limits } }).slice(0, -1)
  const lines = steps.map((step) => `    ${JSON.stringify(step, written)}`)
  const file = new URL(`${name}.json`, folder)
  writeFileSync(file, `${head},\n  "steps": [\n${lines.join(',\n')}\n  ]\n}\n`)
  return file.pathname
}

function written(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}

function revived(_key: string, value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value
}
