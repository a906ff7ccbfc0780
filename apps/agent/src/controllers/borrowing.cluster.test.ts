import { eventually } from '@bourse/testkit'
import { describe, expect, it } from 'vitest'
import { useRome } from '../../../../test/journeys/agent/use-rome.ts'

describe('a requester', () => {
  const { broker, rome, anAgent } = useRome()

  it('gets what it asks for, with an instruction, and gives it back when it is deleted', async () => {
    await anAgent()
    await rome().ask('job', { duration: '1h' })

    const status = await rome().phase('job', 'Reserved')
    const [instruction] = await rome().borrowed()
    await rome().remove('job')
    await rome().gone('job')

    expect(status).toMatchObject({
      targetClusterID: 'paris',
      message: 'Reserved on paris',
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Reserved' }],
    })
    expect(instruction).toMatchObject({
      metadata: { name: status.reservationName },
      spec: { message: 'Use paris for 2 CPU, 4Gi Memory', targetClusterID: 'paris' },
    })
    expect(await rome().borrowed()).toEqual([])
    const held = await (await broker().aClient('paris')).fetchInstructions()
    expect(held.instructions).toEqual([])
  })

  it('is told when its time is over, and that nothing is borrowed any more', async () => {
    await anAgent()
    await rome().ask('short', { duration: '1h' })
    await rome().phase('short', 'Reserved')

    await rome().edit('short', { duration: '1s' })

    const status = await rome().phase('short', 'Released')

    expect(status).toMatchObject({
      reason: 'Expired',
      conditions: [
        { type: 'Ready', status: 'False', reason: 'Expired' },
        { type: 'Stalled', status: 'True', reason: 'Expired' },
      ],
    })
    await eventually('nothing is borrowed', async () => (await rome().borrowed()).length === 0)
  })

  it('is told when an operator gives back what it has', async () => {
    await anAgent()
    await rome().ask('taken', { duration: '1h' })
    const { reservationName: id = '' } = await rome().phase('taken', 'Reserved')

    await (await broker().anOperator()).release({ id })

    expect(await rome().phase('taken', 'Released')).toMatchObject({ reason: 'Released' })
    await eventually('nothing is borrowed', async () => (await rome().borrowed()).length === 0)
  })
})
