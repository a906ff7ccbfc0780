import type { StatedCondition } from '../kubernetes/kinds.ts'
import type { LeftOut, Measurement } from './measurement.ts'

type Measured = Pick<Measurement, 'nodes' | 'nodesLeftOut' | 'problems'>

const WHY: Readonly<Record<LeftOut, string>> = {
  VirtualNode: 'virtual',
  ControlPlane: 'control plane',
  NotReady: 'not ready',
  Cordoned: 'cordoned',
  Tainted: 'tainted',
}
/** A condition is read in a terminal; the log has all of them. */
const PROBLEMS_SHOWN = 3

/** What became of the nodes and pods, as a condition of the Advertisement. */
export function accountOf({ nodes, nodesLeftOut, problems }: Measured): StatedCondition {
  const type = 'Measured'
  const counted = `${nodes} ${nodes === 1 ? 'node' : 'nodes'} counted${leftOutInWords(nodesLeftOut)}.`
  if (problems.length === 0) return { type, status: 'True', reason: 'Counted', message: counted }
  const shown = problems.slice(0, PROBLEMS_SHOWN)
  const rest = problems.length - shown.length
  const more = rest > 0 ? [`${rest} more in the agent's log.`] : []
  const message = [counted, ...shown, ...more].join(' ')
  return { type, status: 'False', reason: 'SomeUnreadable', message }
}

function leftOutInWords(leftOut: Measured['nodesLeftOut']): string {
  const parts = Object.entries(leftOut).map(
    // The keys of a Measurement are the reasons that there are.
    ([reason, count]) => `${count} ${WHY[reason as LeftOut]}`,
  )
  return parts.length > 0 ? `, left out: ${parts.join(', ')}` : ''
}
