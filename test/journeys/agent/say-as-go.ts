import type { Heard } from '@bourse/testkit/scripted-broker'

type Said = Readonly<{ status: number; body: unknown }>
type Fields = Readonly<Record<string, unknown>>
export type Instruction = Readonly<{
  id: string
  requesterID: string
  targetClusterID: string
  expiresAt?: string
}>

/** As Go's apimachinery and time packages read them. */
const QUANTITY = /^[+-]?[0-9.]+([eEinumkKMGTP]*[-+]?[0-9]*)$/
const DURATION = /^([0-9]+(\.[0-9]*)?(ns|us|ms|s|m|h))+$/
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
/** Always read; `reserved` only where it is sent. */
const BLOCKS = ['capacity', 'allocatable', 'allocated', 'available']

/**
 * The REST dialect of the Go original, as strict as it is: every amount that is sent is parsed, an
 * unknown path is a line of text, and an empty list is null.
 */
export function sayAsGo(heard: Heard, instructions: readonly Instruction[]): Said {
  // Its router does not look at a query.
  const [call] = heard.line.split('?')
  // What our client sends is always an object.
  const body = (heard.body ?? {}) as Fields
  if (call === 'POST /api/v1/advertisements') return publish(body, heard.caller)
  if (call === 'POST /api/v1/reservations') return reserve(body, heard.caller)
  if (call !== 'GET /api/v1/instructions') return text(404, '404 page not found')
  return { status: 200, body: instructions.length > 0 ? instructions.map(reservationOf) : null }
}

function publish(body: Fields, caller: string): Said {
  const { clusterID, clusterName, timestamp } = body
  const resources = (body.resources ?? {}) as Record<string, Fields>
  const blocks = [...BLOCKS, ...('reserved' in resources ? ['reserved'] : [])]
  const isDecoded = blocks.every((name) => Object.values(resources[name] ?? {}).every(isText))
  if (!isDecoded || !MOMENT.test(String(timestamp))) return text(400, 'Invalid request body')
  if (clusterID !== caller) return text(403, 'Cluster ID does not match certificate')
  if (!blocks.every((name) => hasBoth(resources[name])))
    return text(
      500,
      'Failed to convert advertisement: quantities must match the regular expression',
    )
  return { status: 200, body: { advertisement: { clusterID, clusterName, resources, timestamp } } }
}

function reserve({ requestedResources, priority = 0, duration }: Fields, caller: string): Said {
  const wanted = requestedResources as Fields | undefined
  if (!Number.isInteger(priority) || !Object.values(wanted ?? {}).every(isText))
    return { status: 400, body: { error: 'Invalid request body' } }
  if (!hasBoth(wanted) || !Object.values(wanted ?? {}).every(isQuantity))
    return { status: 400, body: { error: 'Invalid quantity' } }
  if (duration !== undefined && !DURATION.test(String(duration)))
    return { status: 400, body: { error: 'Invalid duration' } }
  const id = `rsv-${caller}-${Date.now()}`
  return { status: 201, body: reservationOf({ id, requesterID: caller, targetClusterID: 'paris' }) }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function hasBoth(block: Fields | undefined): boolean {
  return ['cpu', 'memory'].every((name) => isQuantity(block?.[name]))
}

function isQuantity(value: unknown): boolean {
  return QUANTITY.test(String(value))
}

function text(status: number, line: string): Said {
  return { status, body: `${line}\n` }
}

/** As the original writes them: without what we have added since. */
function reservationOf({ expiresAt, ...told }: Instruction) {
  return {
    ...told,
    requestedResources: { cpu: '2', memory: '4Gi' },
    status: { phase: 'Reserved', message: '', ...(expiresAt && { expiresAt }) },
    createdAt: new Date().toISOString(),
  }
}
