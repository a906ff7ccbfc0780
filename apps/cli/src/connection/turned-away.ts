import { connect } from 'node:tls'
import type { Terminal } from '../terminal/terminal.ts'
import { type ConnectionFlags, readSettings } from './settings.ts'

/** A broker closes a connection that it does not accept at once, and keeps others for longer. */
const CLOSED_WITHIN_MS = 1_000

/**
 * A broker that does not accept a certificate hangs up without a word, as one that was killed does.
 * Another connection, on which nothing is asked, tells which it was.
 */
export async function nameTurnedAway(
  fault: Error,
  flags: ConnectionFlags,
  { env }: Pick<Terminal, 'env'>,
): Promise<Error> {
  if (!('isMaybeIdentity' in fault && fault.isMaybeIdentity === true)) return fault
  const { brokerUrl, certPath } = await readSettings(flags, env)
  const { createCertificateFiles, IdentityRefused } = await import('@bourse/client')
  const certificates = await createCertificateFiles(certPath, Date.now).current()
  for (const address of brokerUrl.split(',')) {
    const { hostname, port } = new URL(address.trim())
    // An IPv6 address is in brackets.
    const host = hostname.replace(/^\[|\]$/g, '')
    if (await isTurnedAway({ host, port: Number(port || '443'), ...certificates }))
      return new IdentityRefused(
        `${address.trim()} does not accept our certificate: it was revoked, or is not admitted.`,
        { cause: fault },
      )
  }
  return fault
}

type Door = Readonly<{ host: string; port: number; cert: string; key: string; ca: string }>

/** Whether the handshake succeeds and the connection is then closed. */
function isTurnedAway(door: Door): Promise<boolean> {
  return new Promise((resolve) => {
    let isOpen = false
    const socket = connect(door, () => {
      isOpen = true
    })
    socket.setTimeout(CLOSED_WITHIN_MS, () => done(false))
    socket.on('error', () => done(isOpen)).on('close', () => done(isOpen))
    socket.resume()

    function done(isAway: boolean): void {
      resolve(isAway)
      socket.destroy()
    }
  })
}
