import { type ChildProcess, fork } from 'node:child_process'
import { get } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { get as getSecurely } from 'node:https'
import { connect } from 'node:tls'
import type { TestBroker } from '@bourse/testkit'
import { identityIn } from '@bourse/testkit/identity'
import type { Flood } from './flood-process.ts'

/** Not the address that floods come from. */
const ELSEWHERE = '127.0.0.2'
/** A newcomer that is not served within this waits for nothing. */
const TIMEOUT_MS = 20_000

/** Each comes over a connection of its own, and resolves with how long it took to be answered. */
export type Newcomer = () => Promise<number>

export function plainNewcomer(url: string): Newcomer {
  return timed((answered, failed) => {
    const asked = get(url, { agent: false, localAddress: ELSEWHERE, timeout: TIMEOUT_MS })
    asked.on('response', (response) => response.resume().once('end', answered))
    asked.once('timeout', () => asked.destroy(new Error('no answer')))
    asked.once('error', failed)
  })
}

export async function apiNewcomer({ url, certificates }: TestBroker): Promise<Newcomer> {
  const identity = await identityOf(certificates)
  const options = { ...identity, agent: false, localAddress: ELSEWHERE, timeout: TIMEOUT_MS }
  return timed((answered, failed) => {
    const asked = getSecurely(`${url}/api/v1/instructions`, options)
    asked.on('response', (response) => response.resume().once('end', answered))
    asked.once('timeout', () => asked.destroy(new Error('no answer')))
    asked.once('error', failed)
  })
}

export async function grpcNewcomer({ certificates }: TestBroker, port: number): Promise<Newcomer> {
  const identity = await identityOf(certificates)
  const line = { ...identity, port, host: '127.0.0.1', localAddress: ELSEWHERE }
  return timed((answered, failed) => {
    const socket = connect({ ...line, ALPNProtocols: ['h2'], timeout: TIMEOUT_MS })
    const session = connectHttp2(`https://127.0.0.1:${port}`, { createConnection: () => socket })
    socket.once('timeout', () => socket.destroy(new Error('no answer')))
    session.once('error', failed)
    session.once('connect', () =>
      session.ping((error) => {
        session.destroy()
        if (error) failed(error)
        else answered()
      }),
    )
  })
}

export async function identityOf(certificates: TestBroker['certificates'], name = 'newcomer') {
  return identityIn(await certificates.forCluster(name))
}

function timed(ask: (answered: () => void, failed: (why: Error) => void) => void): Newcomer {
  return async () => {
    const startedAt = performance.now()
    await new Promise<void>(ask)
    return performance.now() - startedAt
  }
}

/** Of our session, as Linux shares processors out between sessions before it looks at priorities. */
export function startFlood(flood: Flood): ChildProcess {
  return fork(new URL('./flood-process.ts', import.meta.url), [JSON.stringify(flood)])
}
