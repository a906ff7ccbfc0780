import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPart } from './part.ts'
import { isListening } from './probe.ts'
import { quietPorts } from './quiet-ports.ts'

/** A real MQTT server on loopback that knows its callers by their certificates. */
export type TestMosquitto = {
  url: string
  /** Until it is restarted. */
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

/** As docs/transports.md says: topics are identity, and only the broker sees all of them. */
const ACCESS = `
pattern write bourse/v1/%u/calls
pattern read bourse/v1/%u/answers/#
pattern read bourse/v1/%u/instructions
pattern read bourse/v1/%u/reservations
pattern read bourse/v1/%u/peerings

user broker
topic readwrite bourse/v1/#
`

/** `certPath`: a directory with the server's tls.crt, tls.key and ca.crt. */
export async function startMosquitto(certPath: string): Promise<TestMosquitto> {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-mosquitto-'))
  const [port = 0] = await quietPorts(1)
  writeFileSync(join(dir, 'access'), ACCESS)
  writeFileSync(
    join(dir, 'mosquitto.conf'),
    [
      `listener ${port} 127.0.0.1`,
      `cafile ${join(certPath, 'ca.crt')}`,
      `certfile ${join(certPath, 'tls.crt')}`,
      `keyfile ${join(certPath, 'tls.key')}`,
      'require_certificate true',
      'use_identity_as_username true',
      `acl_file ${join(dir, 'access')}`,
      // Else it gives up its rights as root, and can read neither file.
      'user root',
      '',
    ].join('\n'),
  )
  const server = createPart({
    name: 'Mosquitto',
    command: ['/usr/sbin/mosquitto', '-c', join(dir, 'mosquitto.conf')],
    isReady: () => isListening(port),
  })
  await server.start()

  return {
    url: `mqtts://127.0.0.1:${port}`,
    kill: () => server.end(),
    async restart() {
      await server.end()
      await server.start()
    },
    async stop() {
      await server.end()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
