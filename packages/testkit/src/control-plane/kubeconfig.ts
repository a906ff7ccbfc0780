import type { KeyPairPem } from '@bourse/pki'

type Parts = Readonly<{ url: string; caCertificate: string; user: string; client: KeyPairPem }>

/** A kubeconfig with everything inside, so that it can be copied anywhere. */
export function kubeconfigOf({ url, caCertificate, user, client }: Parts): string {
  return `apiVersion: v1
kind: Config
current-context: bourse
contexts:
  - name: bourse
    context: { cluster: bourse, user: ${JSON.stringify(user)} }
clusters:
  - name: bourse
    cluster:
      server: ${url}
      certificate-authority-data: ${base64(caCertificate)}
users:
  - name: ${JSON.stringify(user)}
    user:
      client-certificate-data: ${base64(client.certificate)}
      client-key-data: ${base64(client.key)}
`
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
