import { describe, expect, it } from 'vitest'
import { shellWord, typedCommand, typedHint } from './typed-command.ts'

describe('a command to type', () => {
  it.each([
    { called: undefined, program: 'bourse' },
    { called: 'bin/bourse', program: 'bin/bourse' },
    { called: '/usr/bin/bourse', program: 'bourse' },
    { called: '/usr/bin/kubectl-bourse', program: 'kubectl bourse' },
    { called: '/opt/my tools/bourse', program: "'/opt/my tools/bourse'" },
  ])('begins as $called was called', ({ called, program }) => {
    const env = { PATH: '/bin:/usr/bin', ...(called && { BOURSE_PROGRAM: called }) }

    expect(typedCommand(['audit'], {}, { env })).toBe(`${program} audit`)
  })

  it('calls the same broker as the same caller', () => {
    const flags = { brokerUrl: 'https://b:8443', certPath: './my pki/rome' }

    expect(typedCommand(['explain', 'rsv-1'], flags, { env: {} })).toBe(
      "bourse explain rsv-1 --broker-url https://b:8443 --cert-path './my pki/rome'",
    )
  })
})

it('a hint names its commands as they are called here', () => {
  const env = { PATH: '/bin', BOURSE_PROGRAM: 'bin/bourse' }

  expect(typedHint('Run `bourse audit`, then `bourse explain ID`.', { env })).toBe(
    'Run `bin/bourse audit`, then `bin/bourse explain ID`.',
  )
})

it.each([
  ['https://127.0.0.1:8443', 'https://127.0.0.1:8443'],
  ['./my pki/rome', "'./my pki/rome'"],
  ["Ada's", "'Ada'\\''s'"],
  ['', "''"],
])('a shell reads %s as one word', (text, written) => {
  expect(shellWord(text)).toBe(written)
})
