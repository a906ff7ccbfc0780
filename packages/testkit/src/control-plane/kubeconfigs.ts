import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClusterAuthority, Identity } from './cluster-authority.ts'

type Ports = Readonly<{ dir: string; url: string; authority: ClusterAuthority }>

/** Writes one kubeconfig for each identity, and returns its path. */
export function createKubeconfigs({ dir, url, authority }: Ports) {
  const written = new Map<string, Promise<string>>()

  /** With everything inside, so that it can be copied anywhere. */
  async function write(identity: Identity, path: string): Promise<string> {
    const { certificate, key } = await authority.clientOf(identity)
    const user = JSON.stringify(identity.user)
    const text = `apiVersion: v1
kind: Config
current-context: bourse
contexts:
  - name: bourse
    context: { cluster: bourse, user: ${user} }
clusters:
  - name: bourse
    cluster:
      server: ${url}
      certificate-authority-data: ${base64(authority.certificate)}
users:
  - name: ${user}
    user:
      client-certificate-data: ${base64(certificate)}
      client-key-data: ${base64(key)}
`
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  return (identity: Identity): Promise<string> => {
    const key = JSON.stringify([identity.user, identity.groups ?? []])
    const name = `${identity.user.replace(/[^\w.-]/g, '-')}-${written.size + 1}.kubeconfig`
    const known = written.get(key) ?? write(identity, join(dir, name))
    written.set(key, known)
    return known
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
