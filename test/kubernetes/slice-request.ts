import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import {
  bitString,
  context0,
  integer,
  oid,
  sequence,
  set,
  utf8,
} from '../../apps/agent/src/peering/native/handshake/der.ts'

const ORGANIZATION = '2.5.4.10'
const COMMON_NAME = '2.5.4.3'
const ED25519 = '1.3.101.112'
const LINE = 64

type Asked = Readonly<{
  user: string
  /** The API server believes all of them; Liqo looks at the first. */
  groups: readonly string[]
  /** Ed25519. */
  privateKey: KeyObject
  /** Of its lines; fewer of them leave room for something else. */
  columns?: number | undefined
  label?: string | undefined
}>

/** A certificate request as the spec of a ResourceSlice has it: PEM in base64. */
export function sliceRequest({ columns = LINE, label = 'CERTIFICATE REQUEST', ...asked }: Asked) {
  const lines = derOf(asked)
    .toString('base64')
    .match(new RegExp(`.{1,${columns}}`, 'g'))
  const pem = [`-----BEGIN ${label}-----`, ...(lines ?? []), `-----END ${label}-----`, '']
  return Buffer.from(pem.join('\n')).toString('base64')
}

function derOf({ user, groups, privateKey }: Asked): Buffer {
  const part = (type: string, value: string) => set(sequence(oid(type), utf8(value)))
  const names = [...groups.map((group) => part(ORGANIZATION, group)), part(COMMON_NAME, user)]
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const wanted = sequence(integer(0), sequence(...names), publicKey, context0())
  const signature = bitString(sign(null, wanted, privateKey))
  return sequence(wanted, sequence(oid(ED25519)), signature)
}
