import type { AdvertisementInput } from '@bourse/contract'
import type { Command } from '@bourse/domain/ledger'
import { readAdvertisement } from '../../intake/read-advertisement.ts'
import { DOOR } from '../callers/caller.ts'
import { createFieldCheck } from '../errors/field-check.ts'

/** A posted advertisement as a command; throws with every bad field named. */
export function toAdvertiseCommand(body: AdvertisementInput): Command {
  const check = createFieldCheck()
  const advertisement = readAdvertisement(body, check)
  check.done()
  const { seenIndex } = body
  return {
    kind: 'advertise',
    door: DOOR,
    clusterId: body.clusterID,
    advertisement,
    ...(typeof seenIndex === 'number' && { seenIndex }),
  }
}
