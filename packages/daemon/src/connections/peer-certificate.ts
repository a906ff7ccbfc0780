import { X509Certificate } from 'node:crypto'
import { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/** What Node keeps below a TLS socket, as far as it is needed here. */
type Handle = {
  getPeerCertificate?(isDetailed: boolean): Readonly<{ raw: Buffer }> | undefined
  getPeerX509Certificate?(): X509Certificate | undefined
  [KNOWN]?: X509Certificate
}
type WithHandle = Readonly<{ _handle?: Handle | null }>

const KNOWN = Symbol('the certificate of the other side')

/**
 * Whenever it is asked for a caller's X509Certificate, Node loses the certificates that the caller
 * sent after its own: it takes them off its list and frees none. It asks itself in each handshake,
 * so a caller that connects again and again, with 100 kB of certificates each time, would take
 * gigabytes. Made from its bytes the same certificate leaves nothing. For the whole process; safe
 * to call twice.
 */
export function askForCertificatesByBytes(): void {
  const any = new TLSSocket(new Duplex(), { isServer: true })
  const { _handle: handle } = any as WithHandle
  const kind: Handle | undefined = handle && Object.getPrototypeOf(handle)
  any.destroy()
  // Another Node, which may not have the fault: it asks in its own way.
  if (!kind?.getPeerCertificate || !kind.getPeerX509Certificate) return
  kind.getPeerX509Certificate = certificateByBytes
  TLSSocket.prototype.getPeerX509Certificate = function (this: TLSSocket) {
    return (this as WithHandle)._handle?.getPeerX509Certificate?.()
  }
}

function certificateByBytes(this: Handle): X509Certificate | undefined {
  const raw = this[KNOWN] ? undefined : this.getPeerCertificate?.(false)?.raw
  if (raw) this[KNOWN] = new X509Certificate(raw)
  return this[KNOWN]
}
