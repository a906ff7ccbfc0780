import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bourse } from '../../../fixtures/test-cli.ts'

describe('bourse login', () => {
  it('leaves settings alone that name another certificate', async () => {
    const config = join(aDirectory(), 'config.yaml')
    writeFileSync(config, 'cert-path: pki/ana\n')

    const { code, err } = await bourse(['login'], { BOURSE_CONFIG: config })

    expect(code).toBe(2)
    expect(err).toContain('names another certificate')
    expect(err).toContain('Replace it with --force')
    expect(readFileSync(config, 'utf8')).toBe('cert-path: pki/ana\n')
  })

  it.each(['bourse-broker', 'a/b/c', 'Bourse/broker'])(
    'knows that %s is no release',
    async (one) => {
      const { code, err } = await bourse(['login', '--release', one])

      expect({ code, err }).toMatchObject({
        code: 2,
        err: expect.stringContaining('NAMESPACE/NAME'),
      })
    },
  )
})

function aDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-login-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}
