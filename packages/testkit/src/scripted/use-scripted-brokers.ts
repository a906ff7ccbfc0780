import { afterAll, afterEach, beforeAll } from 'vitest'
import { makeTestCertificates, type TestCertificates } from '../certificates/certificates.ts'
import { playBroker, type Scene, type ScriptedBroker } from './scripted-broker.ts'

type Closable = { close(): Promise<void> }

/** Certificates for a whole file; what a test opened is closed when it is over. */
export function useScriptedBrokers() {
  let certificates: TestCertificates
  let server = ''
  let rome = ''
  let open: Closable[] = []
  beforeAll(async () => {
    certificates = await makeTestCertificates()
    server = await certificates.forServer()
    rome = await certificates.forCluster('rome')
  })
  afterAll(() => certificates.dispose())
  afterEach(async () => {
    await Promise.all(open.map((one) => one.close()))
    open = []
  })

  return { play, closeLater, certificates: () => certificates, rome: () => rome }

  /** A broker that follows the script. */
  async function play(...scenes: [Scene, ...Scene[]]): Promise<ScriptedBroker> {
    return closeLater(await playBroker(server, scenes))
  }

  function closeLater<T extends Closable>(one: T): T {
    open.push(one)
    return one
  }
}
