import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../time/eventually.ts'
import { type Child, startChild } from './child.ts'
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
  let child = await launch()

  return {
    url: `mqtts://127.0.0.1:${port}`,
    kill: end,
    async restart() {
      await end()
      child = await launch()
    },
    async stop() {
      await end()
      rmSync(dir, { recursive: true, force: true })
    },
  }

  async function launch(): Promise<Child> {
    const started = startChild(['/usr/sbin/mosquitto', '-c', join(dir, 'mosquitto.conf')])
    await eventually('Mosquitto takes connections', () => {
      if (started.exit()) throw new Error(`Mosquitto has ended.\n${started.output()}`)
      return answers(port)
    })
    return started
  }

  async function end(): Promise<void> {
    if (!child.exit()) child.kill('SIGKILL')
    await child.exited
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
