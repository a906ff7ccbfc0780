import { aRefusal } from '@bourse/testkit/scripted-api-server'
import { playBroker, type Scene } from '@bourse/testkit/scripted-broker'
import { useApiServerCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { kubeconfigOf } from '../../fixtures/release/kubeconfig.ts'
import { type SecretFiles, withSecrets } from './secret-files.ts'

const certPath = useApiServerCertificates()
const metadata = { name: 'ours', namespace: 'bourse-system', resourceVersion: '5' }
const secret = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata }
const found: Scene = { status: 200, body: { ...secret, data: { 'ca.crt': btoa('old') } } }
const written: Scene = {
  status: 200,
  body: { ...secret, metadata: { ...metadata, resourceVersion: '6' }, data: { a: btoa('1') } },
}

/** Works on Secrets of an API server that follows a script; returns what it was asked. */
async function onSecrets(
  scenes: readonly [Scene, ...Scene[]],
  work: (secrets: SecretFiles) => Promise<unknown>,
) {
  const script = await playBroker(certPath(), scenes)
  onTestFinished(() => script.close())
  await withSecrets('bourse-system', { kubeconfig: kubeconfigOf(script.url, certPath()) }, work)
  return script.heard.map(({ line, body }) => ({ line, body }))
}

const PATH = '/api/v1/namespaces/bourse-system/secrets/ours'

describe('files of a Secret', () => {
  it('are written over the version that was read, and again over the next', async () => {
    const heard = await onSecrets([found, written], async (secrets) => {
      expect(await secrets.read('ours')).toEqual({ 'ca.crt': 'old' })
      await secrets.write('ours', { a: '1' })
      await secrets.write('ours', { b: '2' })
    })

    expect(heard).toMatchObject([
      { line: `GET ${PATH}` },
      { line: `PUT ${PATH}`, body: { metadata, type: 'Opaque', data: { a: btoa('1') } } },
      { line: `PUT ${PATH}`, body: { metadata: { resourceVersion: '6' } } },
    ])
  })

  it('that are the same are not written', async () => {
    const heard = await onSecrets([found], async (secrets) =>
      secrets.write('ours', await secrets.read('ours')),
    )

    expect(heard.map(({ line }) => line)).toEqual([`GET ${PATH}`])
  })

  it.each([
    { code: 403, reason: 'Forbidden', exitCode: 5, says: 'You may not use the Secret' },
    { code: 404, reason: 'NotFound', exitCode: 4, says: 'There is no Secret bourse-system/ours.' },
  ])('that answer $reason end with $exitCode', async ({ code, reason, exitCode, says }) => {
    const asked = onSecrets([aRefusal(code, reason)], (secrets) => secrets.read('ours'))

    await expect(asked).rejects.toMatchObject({ exitCode, message: expect.stringContaining(says) })
  })

  it('have no names that lead out of their directory', async () => {
    const data = { '../ca.crt': btoa('another') }
    const asked = onSecrets([{ status: 200, body: { ...secret, data } }], (secrets) =>
      secrets.read('ours'),
    )

    await expect(asked).rejects.toThrow('bourse-system/ours has "../ca.crt"')
  })

  it('that another has changed meanwhile are left as they are', async () => {
    const asked = onSecrets([found, aRefusal(409, 'Conflict')], async (secrets) => {
      await secrets.read('ours')
      await secrets.write('ours', {})
    })

    await expect(asked).rejects.toThrow('was changed by another meanwhile')
  })
})
