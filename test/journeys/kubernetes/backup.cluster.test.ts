// Budget: 60 seconds.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { anAdvertisement, aRequest, repositoryRoot, startBroker } from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import { startPostgres } from '@bourse/testkit/postgres'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { expect, it, onTestFinished } from 'vitest'
import { aPlaceOn } from '../leadership/a-place-on.ts'

const run = promisify(execFile)
const plane = useControlPlane({ kinds: brokerKinds })

it('moves a ledger from the API server to a database, to a directory, and back', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'bourse-backup-'))
  onTestFinished(() => rmSync(scratch, { recursive: true }))
  const database = await startPostgres()
  onTestFinished(database.stop)
  const [here, there] = [await aPlaceOn(plane()), await aPlaceOn(plane())]
  const env = { BOURSE_POSTGRES_URL: database.url }
  const file = (name: string) => join(scratch, `${name}.jsonl`)
  const before = await filled(['--store=kubernetes', ...here])

  await bourse(['export', '--store=kubernetes', ...here, '--out', file('one')])
  await bourse(['import', file('one'), '--store=postgres', '--keep-ledger-id'], env)
  await bourse(['export', '--store=postgres', '--out', file('two')], env)
  await bourse(['import', file('two'), '--data-dir', join(scratch, 'data'), '--keep-ledger-id'])
  await bourse(['export', '--data-dir', join(scratch, 'data'), '--out', file('three')])
  await bourse(['import', file('three'), '--store=kubernetes', ...there, '--keep-ledger-id'])

  expect(await told(['--store=kubernetes', ...there])).toEqual(before)
})

async function bourse(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = join(repositoryRoot, 'bin', 'bourse')
  await run(command, ['ledger', ...argv], { env: { ...process.env, ...env } })
}

/** A ledger with something that is held, something that has ended, and an explanation of both. */
async function filled(flags: readonly string[]) {
  const broker = await startBroker({ flags })
  const [paris, rome] = [await broker.aClient('paris'), await broker.aClient('rome')]
  await paris.publishAdvertisement(anAdvertisement('paris', { cpu: '10' }))
  for (const cpu of ['1', '2']) await rome.requestReservation(aRequest({ cpu }, { requestId: cpu }))
  await rome.release({ requestId: '2' })
  await broker.dispose()
  return told(flags)
}

async function told(flags: readonly string[]) {
  const broker = await startBroker({ flags })
  onTestFinished(broker.dispose)
  const operator = await broker.anOperator()
  const { items } = await operator.listReservations()
  const grounds = await Promise.all(items.map(({ id }) => operator.explain(id)))
  return { items, best: grounds.map(({ best }) => best) }
}
