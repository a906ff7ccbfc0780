import { expect, it } from 'vitest'
import { decodeEvent } from './event-codec.ts'

it('leaves out what an older broker took although it is too deep to be shown', () => {
  const deep = '['.repeat(4_300) + ']'.repeat(4_300)
  const line = `{"kind":"advertised","at":1,"clusterId":"paris","door":"rest","advertisement":
    {"clusterName":"paris","capacity":{},"allocatable":{},"allocated":{},"used":{},"liqo":${deep}}}`

  const event = decodeEvent(line)

  expect(event).toMatchObject({ kind: 'advertised', advertisement: { clusterName: 'paris' } })
  expect(event).not.toHaveProperty('advertisement.liqo')
})
