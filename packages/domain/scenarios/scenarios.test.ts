import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { playScenario } from './play-scenario.ts'
import { parseScenario } from './scenario-language.ts'

const folder = new URL('.', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.txt'))

describe('the scenarios hold, line by line', () => {
  it.each(files)('%s', (name) => {
    playScenario(parseScenario(readFileSync(new URL(name, folder), 'utf8')))
  })
})
