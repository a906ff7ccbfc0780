import { afterAll, beforeAll } from 'vitest'
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts'

const START_WITHIN_MS = 300_000

/**
 * One control plane for all tests of a file, or of a `describe`: started when the first of them
 * runs, and stopped after the last.
 */
export function useControlPlane(options: ControlPlaneOptions = {}): () => ControlPlane {
  let started: ControlPlane | undefined
  beforeAll(async () => {
    started = await startControlPlane(options)
  }, START_WITHIN_MS)
  afterAll(() => started?.stop())

  return () => {
    if (!started) throw new Error('The control plane runs only while tests do: ask inside of one.')
    return started
  }
}
