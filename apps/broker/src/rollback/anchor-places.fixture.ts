import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createFakeObjects, refusal } from '../store/kubernetes/objects.fixture.ts'
import { type AnchorPlace, fileAnchor } from './anchor-place.ts'
import { CONFIG_MAP, type ConfigMap, configMapAnchor } from './config-map-anchor.ts'

/** A place for tests of anchors, with what it holds and a way to break it. */
type TestPlace = Readonly<{
  place: AnchorPlace
  text(): Promise<string | undefined>
  forbid(verb: 'read' | 'write'): void
}>

const WHERE = { namespace: 'bourse-system', name: 'anchor' }

export function aFile(text?: string): TestPlace {
  const directory = mkdtempSync(join(tmpdir(), 'bourse-anchor-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'anchor.json')
  if (text !== undefined) writeFileSync(path, text)
  return {
    place: fileAnchor(path),
    text: async () => readFileSync(path, 'utf8'),
    forbid(verb) {
      rmSync(verb === 'read' ? path : directory, { recursive: true })
      if (verb === 'read') mkdirSync(path)
    },
  }
}

/** Without a text there is no such object; with an empty one it is as the chart makes it. */
export function aConfigMap(text?: string) {
  const objects = createFakeObjects()
  let mayRead = true
  const get: typeof objects.get = async (...asked) => {
    if (!mayRead) throw refusal(403, 'Forbidden')
    return objects.get(...asked)
  }
  const made = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...WHERE, labels: { kept: 'yes' } },
    data: { more: 'kept', ...(text !== '' && { 'anchor.json': text }) },
  }
  if (text !== undefined) void objects.create(CONFIG_MAP, made)
  const again = () => configMapAnchor({ ...objects, get }, WHERE)
  const object = () => objects.all(CONFIG_MAP)[0] as ConfigMap | undefined
  const place: TestPlace = {
    place: again(),
    text: async () => object()?.data?.['anchor.json'],
    forbid(verb) {
      if (verb === 'read') mayRead = false
      else objects.onWrite = () => ({ error: refusal(403, 'Forbidden'), isDone: false })
    },
  }
  /** Another broker's. */
  return { ...place, again, object }
}
