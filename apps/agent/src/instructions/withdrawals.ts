import { type Clock, ignoring, isBeingDeleted, isNotFound } from '@bourse/kube'
import type { Entry } from './entries.ts'
import type { InstructionKeeper } from './instruction-keeper.ts'
import {
  type InstructionObject,
  isStamped,
  isWithdrawn,
  type Request,
  requestRefIn,
} from './instruction-object.ts'
import type { InstructionWork } from './instruction-objects.ts'
import { conditionsOf, givenBackStep } from './instruction-status.ts'
import type { InstructionWrites } from './instruction-writes.ts'

type Ports = Readonly<{
  keeper: Pick<InstructionKeeper, 'get'>
  work: Pick<InstructionWork, 'leavesTraces' | 'undo'>
  writes: Pick<InstructionWrites, 'found' | 'hasTraces' | 'withdrawn' | 'forgetTraces' | 'show'>
  requestOf(entry: Entry, object?: InstructionObject): Request | undefined
  onShown?(id: string): void
  clock: Pick<Clock, 'now'>
}>

export const UNDO_AGAIN_MS = 1_000

/** Instructions whose request was given up, although the keeper still has them. */
export function createWithdrawals({ keeper, work, writes, ...ports }: Ports) {
  const withdrawn = new Set<string>()
  /** Of those, the ones without an object, of which nothing else is left either. */
  const undone = new Set<string>()

  return {
    /** Whether nothing is left of it; may be repeated. */
    async withdraw(id: string): Promise<boolean> {
      withdrawn.add(id)
      const object = await writes.found(id)
      // Without an object it is the keeper that knows whether there may be something to undo.
      if (!object) return undone.has(id) || !work.leavesTraces || !keeper.get(id)?.isGranted
      if (isBeingDeleted(object) || !isStamped(object.metadata)) return !writes.hasTraces(object)
      return !writes.hasTraces(await writes.withdrawn(object))
    },
    /** By its annotation only if its request is gone: the annotation may be a manual edit. */
    isGivenUp(entry: Entry, object: InstructionObject | undefined): boolean {
      if (withdrawn.has(entry.terms.id)) return true
      if (!object || !isWithdrawn(object.metadata) || !requestRefIn(object.metadata)) return false
      return ports.requestOf(entry, object)?.isLeaving ?? true
    },
    giveBack,
    giveBackUnseen,
    forget(id: string): void {
      withdrawn.delete(id)
      undone.delete(id)
    },
  }

  async function giveBack(entry: Entry, object: InstructionObject, signal: AbortSignal) {
    const { id } = entry.terms
    if (writes.hasTraces(object)) {
      const { isDone, againAfterMs = UNDO_AGAIN_MS } = await work.undo(entry, signal)
      if (!isDone) return { againAfterMs }
      await writes.forgetTraces(object)
    }
    const steps = conditionsOf(object, [givenBackStep(entry)], ports.clock.now())
    const shown = writes.show(id, object, { delivered: false, ...steps })
    // The object is missing if the reservation was released meanwhile.
    if (await ignoring(isNotFound, shown)) ports.onShown?.(id)
    return undefined
  }

  /** Its object is missing: its peering is found by the reservation's name. */
  async function giveBackUnseen(entry: Entry, signal: AbortSignal) {
    const { id } = entry.terms
    if (undone.has(id) || !work.leavesTraces) return undefined
    const { isDone, againAfterMs = UNDO_AGAIN_MS } = await work.undo(entry, signal)
    if (!isDone) return { againAfterMs }
    undone.add(id)
    ports.onShown?.(id)
    return undefined
  }
}
