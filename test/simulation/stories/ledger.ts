import { createHash } from 'node:crypto'
import type { Command, LedgerEvent, Outcome } from '@bourse/domain/ledger'
import { parseWeights } from '@bourse/domain/placement'
import { createChance } from '@bourse/testkit/chance'
import { canonical } from '../oracle/canonical.ts'
import { difference } from '../oracle/compare.ts'
import { wrongInRanking, wrongInSummary } from '../oracle/compare-ranking.ts'
import { createModel, type Expected } from '../oracle/model.ts'
import { coarse, rank } from '../oracle/ranking.ts'
import { effectsOf, saidOf } from '../oracle/told.ts'
import { candidatesOf } from '../oracle/world.ts'
import { createExchange } from '../parts/exchange.ts'
import { type Shape, shapeOf, underLimits } from '../parts/shape.ts'
import type { Step } from '../parts/step.ts'
import { nextStep } from '../parts/workload.ts'

export type Finding = Readonly<{ at: number; broken: string }>
export type Told = Readonly<{
  steps: readonly Step[]
  /** What was said after each step, by the model. */
  lines: readonly string[]
  finding: Finding | undefined
  /** Equal for equal stories. */
  hash: string
  /** How often each command led to each outcome, as `reserve refused`; and each thing that ended. */
  counts: ReadonlyMap<string, number>
}>
type Setting = Pick<Shape, 'weights' | 'limits'>
type Play = ReturnType<typeof createPlay>

const LIMITS = { staleAfterMs: 600_000, drainTimeoutMs: 120_000, reclaimAfterMs: 86_400_000 }
const BEGIN = Date.UTC(2026, 0, 1)
const TICKS_MAX = 10_000
/** All is compared after every so many steps, and at the end. */
const COMPARE_EVERY = 47

/** Tells a story by chance, or the steps of one that was told before. */
export function ledgerStory(seed: number, length: number, shape: Shape = shapeOf(seed)): Told {
  const chance = createChance(seed)
  return tell(shape, length, (play) => nextStep({ chance, shape, ...play.view() }))
}

export function retell(shape: Setting, steps: readonly Step[]): Told {
  return tell(shape, steps.length, (_play, nth) => steps[nth])
}

type Source = (play: Play, nth: number) => Step | undefined

function tell(shape: Setting, length: number, stepAt: Source): Told {
  return underLimits(shape.limits, () => {
    const play = createPlay(shape)
    const steps: Step[] = []
    const lines: string[] = []
    const hash = createHash('sha256')
    let finding: Finding | undefined
    for (let at = 0; at < length && !finding; at++) {
      const step = stepAt(play, at)
      if (!step) break
      steps.push(step)
      const isLast = at === length - 1
      const { said, broken } = guarded(() => play.take(step, isLast || at % COMPARE_EVERY === 0))
      lines.push(said)
      hash.update(said)
      if (broken !== undefined) finding = { at, broken }
    }
    return { steps, lines, finding, hash: hash.digest('hex'), counts: play.counts }
  })
}

type Taken = { said: string; broken?: string | undefined }

/** A ledger that throws is broken, too. */
function guarded(take: () => Taken): Taken {
  try {
    return take()
  } catch (error) {
    return { said: 'thrown', broken: error instanceof Error ? `${error.stack}` : String(error) }
  }
}

/** The real ledger and the model, side by side. */
function createPlay(shape: Setting) {
  const { resources, cost } = shape.weights
  const parsed = parseWeights(`resources=${resources},cost=${cost}`)
  if (parsed.kind === 'bad') throw new Error(parsed.reason)
  const exchange = createExchange({ policy: parsed.policy, currency: 'USD', ...LIMITS })
  const model = createModel({
    ...LIMITS,
    weights: { resources: BigInt(resources), cost: BigInt(cost) },
    currency: 'USD',
    peeringsMax: shape.limits.peeringsMax ?? 1_000,
  })
  const ids = new Map<string, string>()
  const names: string[] = []
  const asked: Command[] = []
  const nameById = new Map<string, string>()
  const counts = new Map<string, number>()
  let now = BEGIN
  let index = 1
  let starts = 0
  return { take, counts, view }

  function view() {
    return { model, now, index, names, asked, nameOf: (id: string) => nameById.get(id) ?? id }
  }

  function take(step: Step, isCompared: boolean): Taken {
    const taken = play(step)
    const broken =
      taken.broken ?? (isCompared ? difference(exchange.ledger, model.world) : undefined)
    return { said: taken.said, broken }
  }

  function play(step: Step): Taken {
    switch (step.do) {
      case 'command':
        now += step.afterMs
        return run(named(step.command), step.name)
      case 'evaluate':
        return evaluate(step)
      case 'restart':
        return restart(step)
      case 'forget':
        model.forget(exchange.forget(step.count))
        return { said: 'forgotten' }
      case 'rates':
        model.world.rates = new Map(Object.entries(step.rates))
        exchange.setRates(model.world.rates)
        return { said: 'rates' }
      case 'save':
        exchange.save()
        model.save()
        return { said: 'saved' }
      case 'compact':
        exchange.compact()
        model.compact()
        return { said: 'compacted' }
      case 'prune':
        return prune()
    }
  }

  /** The history drops all that has ended: only what is in memory can be asked for again. */
  function prune(): Taken {
    model.forget(exchange.forget(Number.POSITIVE_INFINITY))
    exchange.prune()
    model.prune()
    exchange.save()
    model.save()
    exchange.compact()
    model.compact()
    return { said: 'pruned' }
  }

  function run(command: Command, name: string | undefined): Taken {
    index++
    const term = starts > 0 ? `t${starts}` : undefined
    const moment = { now, index, term }
    const events = shape.limits.dueMax === undefined ? [] : runDue(moment)
    const { outcome, events: more } = exchange.execute(command, moment)
    events.push(...more)
    if (name !== undefined) know(name, outcome)
    if (command.kind === 'reserve' && command.requestId !== undefined) asked.push(command)
    const chosen = outcome.kind === 'reserved' ? outcome.reservation.legs[0]?.clusterId : undefined
    const expected = model.step(command, moment, { chosen, reasons: reasonsIn(events) })
    count(command, outcome, expected)
    return { said: expected.said, broken: wrong(expected, { command, outcome, events }) }
  }

  /** In stories where little is done at a time: until nothing is left to do. */
  function runDue(moment: Parameters<typeof exchange.execute>[1]): LedgerEvent[] {
    const events: LedgerEvent[] = []
    for (let ticks = 0; (exchange.ledger.nextDeadline() ?? now + 1) <= now; ticks++) {
      if (ticks > TICKS_MAX) throw new Error('what is due comes to no end')
      events.push(...exchange.execute({ kind: 'tick' }, moment).events)
    }
    return events
  }

  function know(name: string, outcome: Outcome): void {
    if (outcome.kind !== 'reserved') return
    names.push(name)
    ids.set(name, outcome.reservation.id)
    nameById.set(outcome.reservation.id, name)
  }

  function count(command: Command, { kind }: Outcome, { effects }: Expected): void {
    const keys = [`${command.kind} ${kind}`, ...effects.flatMap(endIn)]
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  }

  function wrong(
    expected: Expected,
    { command, outcome, events }: { command: Command; outcome: Outcome; events: LedgerEvent[] },
  ): string | undefined {
    const said = saidOf(outcome)
    if (said !== expected.said) return `the ledger says "${said}", the model "${expected.said}"`
    const found = wrongEffects(events.flatMap(effectsOf), expected.effects)
    if (found || !expected.ranks) return found
    if (outcome.kind === 'refused')
      return wrongInRanking(model.world, outcome.ranking, expected.ranks)
    const made = events.find((event) => event.kind === 'reserved')
    return made && command.kind === 'reserve' && !command.isHeldAlready
      ? wrongInSummary(made.decision, expected.ranks)
      : undefined
  }

  /** The ledger may note a heartbeat once more than it must. */
  function wrongEffects(told: readonly string[], expected: readonly string[]): string | undefined {
    if (told.length === 0 && expected.length === 0) return undefined
    const owed = new Set(expected)
    const extra = told.filter((effect) => !owed.delete(effect) && !isKnownBeat(effect))
    if (extra.length === 0 && owed.size === 0) return undefined
    return `the ledger did [${extra.join('; ')}] and left out [${[...owed].join('; ')}]`
  }

  function isKnownBeat(effect: string): boolean {
    const [, id = '', at] = /^heard (\S+) at (\d+)$/.exec(effect) ?? []
    const { clusters, heard } = model.world
    return [clusters.get(id)?.heardAt, heard.get(id)].includes(Number(at))
  }

  function evaluate({ wish, hidden }: Extract<Step, { do: 'evaluate' }>): Taken {
    const isHidden = (clusterId: string) => hidden.includes(clusterId)
    const request = wish as Parameters<typeof exchange.ledger.evaluate>[0]
    const ranking = exchange.ledger.evaluate(request, hidden.length > 0 ? isHidden : undefined)
    const candidates = candidatesOf(model.world).map((one) =>
      isHidden(one.clusterId) ? coarse(one) : one,
    )
    const ranks = rank(candidates, wish, model.world.settings.weights)
    const said = ranks.map(({ clusterId, refusal }) => `${clusterId} ${refusal ?? ''}`).join()
    return { said, broken: wrongInRanking(model.world, ranking, ranks) }
  }

  /** What is asked next is answered as it would have been. */
  function restart({ from, outageMs }: Extract<Step, { do: 'restart' }>): Taken {
    const before = canonical(sample())
    exchange.restart(from)
    model.restart(from)
    starts++
    const after = canonical(sample())
    now += outageMs
    if (outageMs > 0) {
      exchange.ledger.excuseSilence(now)
      model.excuse(now)
    }
    const broken = before === after ? undefined : `answers ${before}, and then ${after}`
    return { said: `restarted from ${from}`, broken }
  }

  function sample() {
    const { ledger } = exchange
    return [{ cpu: 1n }, { memory: 3n, cpu: 2n }].map((wanted) =>
      ledger
        .evaluate({ requester: '', wanted, oneNode: true })
        // A zero is as good as nothing.
        .rows.map((row) => ({ ...row, available: withoutZeros(row.available) })),
    )
  }

  /** A command with the ids of the reservations that it names. */
  function named(command: Command): Command {
    const idOf = (name: string) => ids.get(name) ?? name
    if (command.kind === 'activate' || command.kind === 'renew' || command.kind === 'release')
      return { ...command, id: idOf(command.id) }
    if (command.kind !== 'advertise') return command
    const { advertisement } = command
    const used = Object.entries(advertisement.used).map(([name, use]) => [idOf(name), use])
    return { ...command, advertisement: { ...advertisement, used: Object.fromEntries(used) } }
  }
}

function withoutZeros(amounts: Readonly<Record<string, bigint>>) {
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0n))
}

function reasonsIn(events: readonly LedgerEvent[]): Map<string, string> {
  const reasons = new Map<string, string>()
  for (const event of events)
    if (event.kind === 'released') reasons.set(event.reservation.id, event.reason)
  return reasons
}

/** `ends Expired` of `released rsv-1 as Expired`. */
function endIn(effect: string): string[] {
  const [, what, how] = /^(released|peeringClosed) \S+ as (\w+)/.exec(effect) ?? []
  if (what !== undefined) return [`${what} ${how}`]
  return /^(drained|staled|returned)/.test(effect) ? [`${effect.split(' ')[0]} -`] : []
}
