import { X509Certificate } from 'node:crypto'
import { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/** The used part of Node's internal handle of a TLS socket. */
type Handle = {
  getPeerCertificate?(isDetailed: boolean): Readonly<{ raw: Buffer }> | undefined
  getPeerX509Certificate?(): X509Certificate | undefined
  [KNOWN]?: X509Certificate
}
type WithHandle = Readonly<{ _handle?: Handle | null }>

const KNOWN = Symbol('peer certificate')

/**
 * Works around a memory leak of Node: getPeerX509Certificate never frees the chain that the caller
 * sent after its own certificate. Node calls it in each handshake, so a caller that reconnects with
 * 100 kB of certificates each time would take gigabytes. A certificate made from its bytes leaks
 * nothing. Patches the whole process; safe to call twice.
 */
export function askForCertificatesByBytes(): void {
  const any = new TLSSocket(new Duplex(), { isServer: true })
  const { _handle: handle } = any as WithHandle
  const kind: Handle | undefined = handle && Object.getPrototypeOf(handle)
  any.destroy()
  // Another version of Node, which may not have the leak.
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
