import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { appendSome } from '../../../fixtures/store/samples/journal-samples.ts'
import { readBrokerConfig } from '../../config/index.ts'
import { QUESTIONS_MAX } from '../history/bounded-history.ts'
import { openStore } from './open-store.ts'

it('commits beside more questions than may wait, and refuses only those beyond', async () => {
  const { journal, history } = await aStore()
  const questions = Array.from({ length: QUESTIONS_MAX + 5 }, () => history.ended('rsv-1'))
  const answers = Promise.allSettled(questions)

  const head = await appendSome(journal, 1)

  expect(head.index).toBe(1)
  expect((await answers).filter(({ status }) => status === 'rejected')).toHaveLength(5)
})

async function aStore() {
  const dataDir = mkdtempSync(join(tmpdir(), 'bourse-open-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const argv = ['--http-cert-path=/certs', `--data-dir=${dataDir}`]
  const reading = await readBrokerConfig({ argv, env: {} })
  if (reading.kind !== 'config') throw new Error('These flags are fine.')
  const crash = (cause: Error) => {
    throw cause
  }
  const log = pino({ level: 'silent' })
  const store = await openStore(reading.config, { client: undefined, log, crash })
  onTestFinished(store.close)
  return store
}
