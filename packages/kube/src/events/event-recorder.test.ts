import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it } from 'vitest'
import { KubeError } from '../client/errors.ts'
import type { KubeClient } from '../client/kube-client.ts'
import { createEventRecorder, type EventNote, type EventRecorderOptions } from './event-recorder.ts'

/** A recorder, and what the far side was sent. */
function aRecorder(options: Partial<EventRecorderOptions> & { refuse?: KubeError } = {}) {
  const clock = steppedClock()
  const sent: string[] = []
  const troubles: string[] = []
  const take = async (what: string) => {
    sent.push(what)
    if (options.refuse) throw options.refuse
  }
  const client = {
    create: (_: unknown, event: object) => take(`create ${summary(event)}`),
    mergePatch: (_: unknown, __: unknown, patch: object) => take(`raise ${summary(patch)}`),
    // Only what is sent matters; the recorder does not look at answers.
  } as unknown as Pick<KubeClient, 'create' | 'mergePatch'>
  const recorder = createEventRecorder({
    client,
    controller: 'example.org/test',
    instance: 'test-1',
    clock,
    onTrouble: ({ message }) => troubles.push(message),
    ...options,
  })
  return { recorder, clock, sent, troubles }
}

function summary(event: { note?: string; series?: { count: number } }): string {
  return `${event.note ?? ''}×${event.series?.count ?? 1}`
}

function aNote(note: string): EventNote {
  const regarding = { apiVersion: 'v1', kind: 'ConfigMap', name: 'rome', namespace: 'default' }
  return { regarding, type: 'Normal', reason: 'Seen', action: 'See', note }
}

const many = (count: number) => Array.from({ length: count }, (_, at) => aNote(`note ${at}`))

describe('an event recorder', () => {
  it('sends a burst at once and the rest at its rate', async () => {
    const { recorder, clock, sent } = aRecorder({ perSecond: () => 10 })

    for (const note of many(70)) recorder.record(note)
    await clock.advance(0)
    const atOnce = sent.length
    await clock.advance(1_000)

    expect([atOnce, sent.length]).toEqual([50, 60])
  })

  it('follows a rate that changes', async () => {
    const rate = { perSecond: 1 }
    const { recorder, clock, sent } = aRecorder({ perSecond: () => rate.perSecond })
    for (const note of many(70)) recorder.record(note)

    await clock.advance(2_000)
    const slowly = sent.length
    rate.perSecond = 10
    await clock.advance(2_000)

    expect(slowly).toBe(52)
    expect(sent.length).toBeGreaterThanOrEqual(62)
  })

  it('drops and counts what is more than it may hold', async () => {
    const { recorder, sent } = aRecorder({ waitingMax: 3 })

    for (const note of many(5)) recorder.record(note)
    await recorder.stop()

    expect([sent.length, recorder.dropped()]).toEqual([3, 2])
  })

  it('raises the count of a note that is repeated soon, and begins anew after a silence', async () => {
    const { recorder, clock, sent } = aRecorder()

    recorder.record(aNote('hello'))
    await clock.advance(1_000)
    recorder.record(aNote('hello'))
    recorder.record(aNote('hello'))
    await clock.advance(7 * 60_000)
    recorder.record(aNote('hello'))
    await clock.advance(0)

    expect(sent).toEqual(['create hello×1', 'raise ×3', 'create hello×1'])
  })

  it('counts refused events, and continues', async () => {
    const refuse = new KubeError('no events here', { status: 403, reason: 'Forbidden' })
    const { recorder, clock, sent, troubles } = aRecorder({ refuse })

    recorder.record(aNote('one'))
    recorder.record(aNote('two'))
    await clock.advance(0)

    expect(sent).toEqual(['create one×1', 'create two×1'])
    expect(troubles).toEqual(['no events here', 'no events here'])
    expect(recorder.dropped()).toBe(2)
  })

  it('does not wait for a silent server longer than it may', async () => {
    const silent = { create: () => new Promise(() => {}) } as unknown as KubeClient
    const { recorder, clock } = aRecorder({ client: silent })
    for (const note of many(3)) recorder.record(note)

    const stopped = recorder.stop(500)
    await clock.advance(500)
    await stopped

    expect(recorder.dropped()).toBe(2)
  })
})
