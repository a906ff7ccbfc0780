import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeLeaf, makeRoot } from '@bourse/pki'

/** Where the webhook looks for its certificate, under its TMPDIR; returns who signed it. */
export async function writeWebhookCertificate(tmpDir: string): Promise<string> {
  const certificates = join(tmpDir, 'k8s-webhook-server', 'serving-certs')
  mkdirSync(certificates, { recursive: true })
  const validity = { from: new Date(), days: 30 }
  const root = await makeRoot('liqo webhook', 'ec', validity)
  const pair = await makeLeaf(
    root,
    { commonName: 'liqo-webhook', usages: ['server'], ip: ['127.0.0.1'] },
    { keyType: 'ec', validity },
  )
  writeFileSync(join(certificates, 'tls.crt'), pair.certificate)
  writeFileSync(join(certificates, 'tls.key'), pair.key, { mode: 0o600 })
  return root.certificate
}
