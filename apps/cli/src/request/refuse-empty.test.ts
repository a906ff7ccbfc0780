import { expect, it } from 'vitest'
import { typed } from '../../fixtures/typed.ts'

it.each([
  { argv: ['reserve', '--cpu', '1', '--duration', ''], says: '--duration is empty' },
  { argv: ['reserve', '--cpu', '1', '--request-id='], says: '--request-id is empty' },
  { argv: ['reserve', '--cpu', '1', '--requester', ' '], says: '--requester is empty' },
  { argv: ['reserve', '--cpu', ''], says: '--cpu is empty' },
  { argv: ['reserve', '--resource', ''], says: '--resource is empty' },
  { argv: ['reservations', '--phase', ''], says: '--phase is empty' },
  { argv: ['watch', '--after', ''], says: '--after is empty' },
  { argv: ['audit', '-o', ''], says: '--output is empty' },
  { argv: ['audit', '--cert-path', ''], says: '--cert-path is empty' },
  { argv: ['ca', 'issue', 'broker', '--server', '--dns', ''], says: '--dns is empty' },
  { argv: ['ledger', 'verify', '--data-dir', ''], says: '--data-dir is empty' },
  { argv: ['release', ''], says: 'is empty' },
  { argv: ['release', 'rsv-1', ''], says: 'RESERVATIONS is empty' },
  { argv: ['clusters', ''], says: 'CLUSTER is empty' },
])('takes nothing for no value: $argv', async ({ argv, says }) => {
  const { code, err } = await typed(argv)

  expect(code).toBe(2)
  expect(err).toContain(says)
})

it('says what to do about it', async () => {
  const optional = await typed(['reserve', '--cpu', '1', '--target', ''])
  const mandatory = await typed(['ledger', 'verify', '--data-dir', ''])

  const advice = 'leave it out, or give it a value: --target CLUSTER.'
  expect(optional.err).toBe(`bourse: --target is empty: ${advice}`)
  expect(mandatory.err).toBe('bourse: --data-dir is empty: give it a value: --data-dir DIR.')
})
