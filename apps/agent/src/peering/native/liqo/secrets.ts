import type { KubeObject } from '@bourse/kube'
import { LABEL } from './liqo-kinds.ts'

/** Values are base64, as the API server has them. */
export type Secret = KubeObject &
  Readonly<{ data?: Readonly<Record<string, string>>; type?: string }>

export const NONCE_NAME = 'liqo-nonce'
export const SIGNED_NONCE_NAME = 'liqo-signed-nonce'
/** The one certificate of a Tenant; those of its slices have `-<slice>` behind it. */
export const CERTIFICATE_NAME = 'liqo-remote-certificate'
export const KEYS_NAME = 'authentication-keys'

type Place = Readonly<{ namespace: string; liqoId: string; peer: string }>

/** Liqo fills it with the challenge that the other cluster must sign. */
export function nonceSecret({ namespace, liqoId, peer }: Place): Secret {
  const labels = { 'liqo.io/nonce': 'true', [LABEL.remote]: liqoId, [LABEL.peer]: peer }
  return secret(NONCE_NAME, namespace, labels)
}

/** Liqo adds the signature by this cluster's key. One of an earlier nonce must not stay in it. */
export function signedNonceSecret({ namespace, liqoId, peer }: Place, nonce: string): Secret {
  const labels = { 'liqo.io/signed-nonce': 'true', [LABEL.remote]: liqoId, [LABEL.peer]: peer }
  const data = { nonce: Buffer.from(nonce).toString('base64') }
  return { ...secret(SIGNED_NONCE_NAME, namespace, labels), data }
}

function secret(name: string, namespace: string, labels: Record<string, string>): Secret {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels } }
}

/** One field as text: for a nonce that is what is signed, base64 of random bytes as it stands. */
export function textIn({ data }: Pick<Secret, 'data'>, field: string): string | undefined {
  const value = data?.[field]
  return value ? Buffer.from(value, 'base64').toString() : undefined
}
