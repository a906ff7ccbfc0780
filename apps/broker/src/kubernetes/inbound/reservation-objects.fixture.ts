import { RESERVATION_FINALIZER, type ReservationStatus } from '@bourse/contract/kinds'
import { actorText } from '@bourse/domain/ledger'
import { summarySentence } from '@bourse/domain/placement'
import { aLedger, LEDGER_ID } from '../objects/objects.fixture.ts'
import type { AskedReservation } from '../objects/reservation-object.ts'
import type { Delay } from './object-price.ts'
import { createReservationReconciler } from './reservation-reconciler.ts'
import type { ReservationWrites } from './reservation-writes.ts'

export const HOUR_MS = 3_600_000
const LOOKS_MAX = 20
export const PROTECTED = { finalizers: [RESERVATION_FINALIZER] }

type Options = Readonly<{
  adopt?: boolean
  supplyIsComing?: boolean
  isDeletedMeanwhile?: boolean
  denial?: string
  delay?: Delay
}>

/** The reconciler on a real ledger; what it writes is kept as steps and as the object it leaves. */
export function aReconciler(options: Options = {}) {
  const { adopt = false, supplyIsComing = false, isDeletedMeanwhile = false } = options
  const setup = aLedger()
  const steps: string[] = []
  const actors: (string | undefined)[] = []
  const shown: ReservationStatus[] = []
  const warnings: string[] = []
  const trials: string[] = []
  const account: { delay?: Delay | undefined } = { delay: options.delay }
  const objects: ReservationWrites = {
    async hold(_, targetClusterID) {
      if (isDeletedMeanwhile) throw new Error('not found')
      steps.push(`finalizer on, target ${targetClusterID}`)
    },
    async letGo() {
      steps.push('finalizer off')
    },
    async show(object, status) {
      steps.push(`status ${status.phase}`)
      shown.push(status)
      return { ...object, shown: status }
    },
  }
  const { reconcile, gone } = createReservationReconciler({
    submit(command) {
      steps.push(command.kind)
      actors.push(command.by && actorText(command.by))
      return setup.submit(command)
    },
    madeFor: setup.objectReservations.get,
    remembered: async () => undefined,
    settled: setup.objectReservations.settled,
    refusalSentence: async (ranking) => summarySentence(ranking),
    supplyIsComing: () => supplyIsComing,
    endpointOf: (clusterId) => `https://${clusterId}.example:6443`,
    objects,
    denied: () => options.denial,
    price: () => account.delay,
    trials: {
      refused: ({ requester }) => void trials.push(`${requester} was refused`),
      released: ({ requester }) => void trials.push(`${requester} gave back`),
    },
    warn: (_, reason, note) => void warnings.push(`${reason}: ${note}`),
    ledgerId: LEDGER_ID,
    limits: { maxDurationMs: 10 * HOUR_MS, maxPriority: 100 },
    adopt,
    index: setup.index,
    now: () => setup.clock.now,
  })

  /** As many looks as are asked for, each when it is due. */
  async function decided(object: AskedReservation): Promise<void> {
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const again = await reconcile(object)
      if (!again) return
      setup.clock.now += again.againAfterMs
    }
    throw new Error(`It is not decided after ${LOOKS_MAX} looks.`)
  }

  /** A second look at an object that was reserved before. */
  async function reserved(object: AskedReservation): Promise<AskedReservation> {
    await reconcile(object)
    const [status = {}] = shown
    steps.length = 0
    shown.length = 0
    const { targetClusterID = '' } = status
    const spec = { ...object.spec, targetClusterID }
    return { ...object, ...PROTECTED, isProtected: true, spec, shown: status }
  }
  const made = { steps, actors, shown, warnings, trials }
  return { ...setup, ...made, account, reconcile, decided, gone, reserved }
}
