import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTestCertificates, type TestCertificates } from '@bourse/testkit/certificates'
import { hurriedPatience } from '@bourse/testkit/patience'
import { aWatch } from '@bourse/testkit/scripted-api-server'
import { playBroker, type Scene } from '@bourse/testkit/scripted-broker'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { createKubeClient } from '../client/create-kube-client.ts'
import { fixedConnection } from '../connection/create-connection.ts'
import type { Kind, KubeObject } from '../objects.ts'
import { createReflector, type Listener } from './reflector.ts'

const CONFIG_MAP: Kind = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
type ConfigMap = KubeObject & { data: { value: string } }

/** Three seconds in a hurry: longer than a busy machine needs for an answer. */
const STALL_MS = 3_000_000

let certificates: TestCertificates
let certPath: string
beforeAll(async () => {
  certificates = await makeTestCertificates()
  certPath = await certificates.forApiServer()
})
afterAll(() => certificates.dispose())

/** A reflector of an API server that follows the script, a thousand times faster than usual. */
export async function reflect(
  scenes: readonly [Scene, ...Scene[]],
  { on, isStreamed }: { on?: Listener<string>; isStreamed?: true } = {},
) {
  const script = await playBroker(certPath, scenes)
  const read = (name: string) => readFileSync(join(certPath, name), 'utf8')
  const [ca, cert, key] = [read('ca.crt'), read('tls.crt'), read('tls.key')]
  const client = createKubeClient(fixedConnection({ server: script.url, ca, cert, key }), {
    patience: hurriedPatience(1_000),
  })
  const patience = hurriedPatience(1_000)
  const news: string[] = []
  const troubles: string[] = []
  const reflector = createReflector<string, ConfigMap>({
    client,
    kind: CONFIG_MAP,
    decode,
    on: {
      added: (item, key) => news.push(`+ ${key} ${item}`),
      changed: (item, before, key) => news.push(`~ ${key} ${before} → ${item}`),
      removed: (last, key) => news.push(`- ${key} ${last}`),
      synced: () => news.push('synced'),
      ...on,
    },
    ...(isStreamed && { isStreamed }),
    stallMs: STALL_MS,
    onTrouble: ({ message }) => troubles.push(message),
    patience,
  })
  onTestFinished(async () => {
    await reflector.stop()
    await client.close()
    await script.close()
  })
  const heard = () => script.heard.map(({ line }) => shortened(line))
  return { reflector, news, troubles, heard, patience }
}

function decode({ data }: ConfigMap): string | undefined {
  if (data.value === 'broken') throw new Error('it is broken')
  return data.value === 'dull' ? undefined : data.value
}

/** `list`, `stream` or `watch 7`: what of a request matters here. */
function shortened(line: string): string {
  const query = new URL(line.split(' ')[1] ?? '', 'https://host').searchParams
  if (query.has('sendInitialEvents')) return `stream ${query.get('resourceVersionMatch')}`
  if (query.has('watch')) return `watch ${query.get('resourceVersion')}`
  return query.has('continue') ? `list on ${query.get('continue')}` : 'list'
}

export const rome = { name: 'rome', version: '5' }
export const paris = { name: 'paris', version: '6' }
export const quiet = aWatch([], 'stay')
