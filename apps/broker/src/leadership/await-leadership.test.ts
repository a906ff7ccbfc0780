import { createConnections } from '@bourse/daemon/connections'
import { createRawCaller, eventually, quietPorts } from '@bourse/testkit'
import { useCertificates } from '@bourse/testkit/use-certificates'
import pino from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMemoryHistory } from '../../fixtures/store/memory/memory-history.ts'
import { createMemoryJournal } from '../../fixtures/store/memory/memory-journal.ts'
import { createMemoryNotes } from '../../fixtures/store/memory/memory-notes.ts'
import { type BrokerConfig, readBrokerConfig } from '../config/index.ts'
import type { Journal } from '../store/port/journal.ts'
import type { Store } from '../store/port/store.ts'
import { awaitLeadership } from './await-leadership.ts'

const certificates = useCertificates()

describe('the only broker of its store', () => {
  it.each(['/api/v1/instructions', '/healthz'])(
    'says at %s that it is starting, as long as it reads its ledger',
    async (path) => {
      const reading = Promise.withResolvers<undefined>()
      const { config, caller } = await aPlace()
      const entering = enter(config, { latestSnapshot: () => reading.promise })

      const { status, headers, json } = await eventually('The standby server answers', () =>
        caller.get(path).catch(() => undefined),
      )

      expect(status).toBe(503)
      expect(headers['retry-after']).toBe('1')
      expect(json).toMatchObject({ code: 'Unavailable', detail: expect.stringMatching('starting') })
      reading.resolve(undefined)
      await (await entering)?.resign()
    },
  )

  it('closes its standby server when the ledger cannot be read', async () => {
    const { config, caller } = await aPlace()
    const damaged = new Error('damaged')

    const entering = enter(config, { latestSnapshot: () => Promise.reject(damaged) })

    await expect(entering).rejects.toBe(damaged)
    await expect(caller.get('/healthz')).rejects.toThrow('ECONNREFUSED')
  })
})

async function aPlace() {
  const [port = 0] = await quietPorts(1)
  const certPath = await certificates().forServer()
  const argv = [`--http-cert-path=${certPath}`, '--http-host=127.0.0.1', `--http-port=${port}`]
  const read = await readBrokerConfig({ argv: ['--broker-interface=http', ...argv], env: {} })
  if (read.kind === 'bad') throw new Error(read.problems.join(' '))
  const rome = await certificates().forCluster('rome')
  const caller = createRawCaller({ url: `https://127.0.0.1:${port}`, certPath: rome })
  onTestFinished(() => caller.close())
  return { config: read.config, caller }
}

function enter(config: BrokerConfig, slow: Partial<Journal>) {
  const journal = { ...createMemoryJournal(), ...slow }
  const store = { journal, history: createMemoryHistory(), notes: createMemoryNotes() }
  return awaitLeadership({
    config,
    // The replica are all that is opened here.
    store: store as unknown as Store,
    client: undefined,
    standing: () => {},
    connections: createConnections(),
    log: pino({ level: 'silent' }),
    crash: (cause) => {
      throw cause
    },
    signal: undefined,
  })
}
