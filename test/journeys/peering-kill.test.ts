// Budget: 30 seconds. A peering session outlives its broker, whenever that dies.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  anAdvertisement,
  aRequest,
  repositoryRoot,
  startBroker,
  startChild,
  type TestBroker,
} from '@bourse/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ID = `ps-${'a'.repeat(26)}`
const OPENED = { id: ID, providerID: 'paris', networking: 'none', hello: 'h' } as const
const STEPS = [
  { by: 'paris', step: 'nonce', state: 'open' },
  { by: 'rome', step: 'tenant', state: 'open' },
  { by: 'paris', step: 'grant', state: 'open' },
  { by: 'rome', step: 'ready', state: 'established' },
  { by: 'rome', step: 'goodbye', state: 'closing' },
] as const
const PATIENT = { attemptsMax: 1_000, baseMs: 10, capMs: 100, budgetMs: 60_000 }

describe('a peering session', () => {
  let broker: TestBroker
  let scratch = ''

  beforeEach(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'bourse-peering-'))
    broker = await startBroker()
  })
  afterEach(async () => {
    await broker?.dispose()
    rmSync(scratch, { recursive: true, force: true })
  })

  async function aPair() {
    const paris = await broker.aClient('paris', PATIENT)
    await paris.publishAdvertisement(anAdvertisement('paris'))
    const rome = await broker.aClient('rome', PATIENT)
    await rome.requestReservation(aRequest())
    await rome.openPeering(OPENED)
    return { paris, rome }
  }

  it('goes on after a broker that was killed between any two words', async () => {
    const clients = await aPair()
    const ending = new AbortController()
    const watching = clients.paris.watchPeerings({ signal: ending.signal })[Symbol.asyncIterator]()
    await watching.next()

    for (const { by, step, state } of STEPS) {
      await clients[by].postPeering(ID, { step, sealed: step })
      await broker.kill('SIGKILL')
      broker.launch()
      await broker.ready()

      const again = await clients[by].postPeering(ID, { step, sealed: step })
      expect(again).toMatchObject({ state, messages: { [step]: { sealed: step } } })
      expect(Object.keys(again.steps)).toEqual(stepsUpTo(step))
    }

    await clients.paris.closePeering(ID)
    let told = await watching.next()
    while (told.value.peerings.length > 0) told = await watching.next()
    ending.abort()
    expect(told.value.peerings).toEqual([])
  })

  it('is in the backup, and in the ledger that is restored from it', async () => {
    const { paris } = await aPair()
    await paris.postPeering(ID, { step: 'nonce', sealed: 'n' })
    const before = await (await broker.anOperator()).getPeering(ID)
    await broker.stop()
    const backup = join(scratch, 'backup.jsonl')
    const restored = join(scratch, 'restored')

    await bourse('export', '--data-dir', broker.dataDir, '--out', backup)
    await bourse('import', backup, '--data-dir', restored)
    const other = await startBroker({ dataDir: restored, certificates: broker.certificates })

    expect(await (await other.anOperator()).getPeering(ID)).toEqual(before)
    await other.dispose()
  })
})

function stepsUpTo(step: string): readonly string[] {
  const steps: readonly string[] = STEPS.map((one) => one.step)
  return ['hello', ...steps.slice(0, steps.indexOf(step) + 1)]
}

async function bourse(...args: readonly string[]): Promise<void> {
  const child = startChild([`${repositoryRoot}/bin/bourse`, 'ledger', ...args])
  expect(await child.exited, child.output()).toEqual({ code: 0, signal: null })
}
