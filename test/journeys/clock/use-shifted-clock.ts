import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBroker, type TestBroker } from '@bourse/testkit'
import { onTestFinished } from 'vitest'

/** A broker whose wall clock a test sets, and how to. */
export async function aBrokerWithAClock(flags: readonly string[] = []) {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-clock-'))
  const file = join(dir, 'shift')
  writeFileSync(file, '0')
  const preload = new URL('./shifted-clock.ts', import.meta.url).href
  const env = { NODE_OPTIONS: `--import=${preload}`, SHIFT_FILE: file }
  const broker: TestBroker = await startBroker({ flags, env })
  onTestFinished(async () => {
    await broker.dispose()
    rmSync(dir, { recursive: true, force: true })
  })

  /** From the true time; a broker that is not running finds it so when it starts. */
  function setClock(shiftMs: number): void {
    writeFileSync(file, String(shiftMs))
    if (broker.isRunning()) process.kill(broker.pid, 'SIGUSR2')
  }
  return { broker, setClock }
}
