import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createHeldLog } from './held-log.ts'

it('a log leaves the file alone until it is opened, and then tells all of it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-log-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'broker.log')
  const log = createHeldLog(path)

  log.sink.write('starting\n')
  const wasThere = existsSync(path)
  log.open()
  log.open()
  log.sink.write('ready\n')

  expect(wasThere).toBe(false)
  await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8')).toBe('starting\nready\n')
})
