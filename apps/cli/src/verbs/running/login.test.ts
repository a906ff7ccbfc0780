import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { playBroker } from '@bourse/testkit/scripted-broker'
import { useApiServerCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { kubeconfigOf } from '../../../fixtures/release/kubeconfig.ts'
import { bourse } from '../../../fixtures/test-cli.ts'
import { readSettings } from '../../connection/settings.ts'

const certPath = useApiServerCertificates()

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

  it('writes settings that find the certificate, wherever it is started', async () => {
    const config = join(aDirectory(), 'of # mine', 'config.yaml')
    const kubeconfig = await aClusterWithOperator()
    const login = ['login', '--kubeconfig', kubeconfig]

    const first = await bourse(login, { BOURSE_CONFIG: relative('.', config) })
    const again = await bourse(login, { BOURSE_CONFIG: config })

    expect([first, again]).toMatchObject([{ code: 0 }, { code: 0 }])
    const found = await readSettings({}, { BOURSE_CONFIG: config })
    expect(found.certPath).toBe(resolve(dirname(config), 'bourse-system.bourse-broker'))
    expect(readFileSync(join(found.certPath, 'tls.crt'), 'utf8')).toBe(certificate('tls.crt'))
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

const certificate = (file: string) => readFileSync(join(certPath(), file), 'utf8')

async function aClusterWithOperator(): Promise<string> {
  const files = ['tls.crt', 'tls.key', 'ca.crt'].map((file) => [file, btoa(certificate(file))])
  const metadata = { name: 'bourse-broker-operator', namespace: 'bourse-system' }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(files) }
  const script = await playBroker(certPath(), [{ status: 200, body: secret }])
  onTestFinished(() => script.close())
  return kubeconfigOf(script.url, certPath())
}

function aDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-login-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}
