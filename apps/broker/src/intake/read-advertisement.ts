import type { AdvertisementInput, QuantitiesInput } from '@bourse/contract'
import type { Advertisement, Cost } from '@bourse/domain/ledger'
import { amountOf, parseMoney, readablePair, spokenName } from '@bourse/domain/quantity'
import { onceEach } from '../cache/once-each.ts'
import { isTooDeep, NESTING_MAX } from '../store/codec/nesting.ts'
import { type FieldCheck, memberPath } from './field-check.ts'

/** What the agent says about its Liqo installation is carried as it is, so it has to be small. */
const LIQO_LENGTH_MAX = 64 * 1024
const TOO_DEEP = `is nested deeper than ${NESTING_MAX} levels: send it flatter, or leave it out`
/** As Kubernetes has it: an optional DNS prefix, then a name. */
const LABEL_KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/

/** What a cluster says of itself, whichever way it came; every bad field is noted. */
export function readAdvertisement(body: AdvertisementInput, check: FieldCheck): Advertisement {
  check.text('clusterName', body.clusterName)
  check.text('timestamp', body.timestamp)
  return {
    clusterName: body.clusterName || body.clusterID,
    ...supplyOf(body, check),
    used: usedOf(body.used, check),
    ...costOf(body.cost, check),
    ...endpointOf(body.endpointURL, check),
    ...labelsOf(body.labels, check),
    ...locationOf(body.location, check),
    ...(body.visibility && { visibility: body.visibility }),
    ...largestFitOf(body.largestFit, check),
    ...gpuModelsOf(body.gpuModels, check),
    ...liqoOf(body.liqo, check),
  }
}

type Supply = Pick<Advertisement, 'capacity' | 'allocatable' | 'allocated' | 'aliases'>

function supplyOf({ resources: written }: AdvertisementInput, check: FieldCheck): Supply {
  const read = (name: keyof typeof written & string, kind: 'supply' | 'allocated') =>
    // Unknown extra members make the index type wider than these five names are.
    check.resources(`resources.${name}`, written[name] as QuantitiesInput | undefined, kind)

  const capacity = read('capacity', 'supply')
  const allocatable = written.allocatable ? read('allocatable', 'supply') : capacity
  const allocated = read('allocated', 'allocated')
  // The broker alone knows these two: they are checked, and then not used.
  read('reserved', 'allocated')
  read('available', 'supply')
  compare(allocatable, capacity, check)

  const aliases = [...capacity.aliases]
  for (const alias of [...allocatable.aliases, ...allocated.aliases])
    if (!aliases.includes(alias)) aliases.push(alias)
  return {
    capacity: capacity.resources,
    allocatable: allocatable.resources,
    allocated: allocated.resources,
    ...(aliases.length > 0 && { aliases }),
  }
}

type Read = ReturnType<FieldCheck['resources']>

function compare(allocatable: Read, capacity: Read, check: FieldCheck): void {
  for (const [name, amount] of Object.entries(allocatable.resources)) {
    const most = amountOf(capacity.resources, name)
    if (amount <= most) continue
    const [told, capacityTold] = readablePair(name, amount, most)
    const words = `${told} is more than the capacity, ${capacityTold}`
    check.add(memberPath('resources.allocatable', spokenName(name, allocatable.aliases)), words)
  }
}

function usedOf(used: AdvertisementInput['used'], check: FieldCheck): Advertisement['used'] {
  const entries = Object.entries(used ?? {}).map(([id, part]) => {
    check.text(memberPath('used', id), id)
    return [id, check.resources(memberPath('used', id), part, 'allocated').resources] as const
  })
  return Object.fromEntries(entries)
}

function costOf(cost: AdvertisementInput['cost'], check: FieldCheck): { cost?: Cost } {
  if (!cost) return {}
  check.text('cost.currency', cost.currency)
  const cpu = priceOf('cpuCost', cost.cpuCost, check)
  const memory = priceOf('memoryCost', cost.memoryCost, check)
  const gpu = priceOf('gpuCost', cost.gpuCost, check)
  const prices = {
    ...(cpu !== undefined && { cpu }),
    ...(memory !== undefined && { memory }),
    ...(gpu !== undefined && { gpu }),
  }
  // Other agents put other things under this name; without a price it is ignored.
  if (Object.keys(prices).length === 0) return {}
  if (!cost.currency) check.add('cost.currency', 'is missing: a price needs one, such as USD')
  return { cost: { ...prices, currency: cost.currency ?? '' } }
}

function priceOf(name: string, written: string | number | null | undefined, check: FieldCheck) {
  if (written === null || written === undefined || written === '') return undefined
  const parsed = parseMoney(`${written}`)
  if (parsed.kind === 'ok') return parsed.money
  check.add(`cost.${name}`, parsed.reason)
  return undefined
}

/** Agents repeat theirs twice a minute. */
const isHttps = onceEach(
  (written: string) => URL.canParse(written) && new URL(written).protocol === 'https:',
)

function endpointOf(written: string | null | undefined, check: FieldCheck) {
  if (!written) return {}
  check.text('endpointURL', written)
  if (isHttps(written)) return { endpointUrl: written }
  check.add('endpointURL', 'must be an https address, such as https://paris.example:6443')
  return {}
}

function labelsOf(labels: AdvertisementInput['labels'], check: FieldCheck) {
  if (!labels) return {}
  for (const [name, value] of Object.entries(labels)) {
    if (!LABEL_KEY.test(name)) check.add(memberPath('labels', name), 'is not a label name')
    check.text(memberPath('labels', name), value)
  }
  return { labels }
}

/** Some agents send a place as an object; its city and country are what people read. */
function locationOf(location: AdvertisementInput['location'], check: FieldCheck) {
  if (!location) return {}
  check.text('location', location)
  if (typeof location === 'string') return { location }
  if (isTooDeep(location)) check.add('location', TOO_DEEP)
  else checkTexts('location', location, check)
  const parts = [location.city, location.region, location.countryCode]
  const words = parts.filter((part) => typeof part === 'string' && part !== '')
  return words.length > 0 ? { location: words.join(', ').slice(0, 256) } : {}
}

function gpuModelsOf(gpuModels: AdvertisementInput['gpuModels'], check: FieldCheck) {
  if (!gpuModels) return {}
  for (const model of Object.keys(gpuModels)) check.text(memberPath('gpuModels', model), model)
  return { gpuModels }
}

/** What is carried as it came may have certificates in it, and so several lines. */
function checkTexts(path: string, value: unknown, check: FieldCheck): void {
  check.text(path, value, 'lines')
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    check.text(memberPath(path, name), name)
    checkTexts(memberPath(path, name), member, check)
  }
}

function largestFitOf(written: AdvertisementInput['largestFit'], check: FieldCheck) {
  if (!written) return {}
  return { largestFit: check.resources('largestFit', written, 'supply').resources }
}

function liqoOf(liqo: unknown, check: FieldCheck): { liqo?: unknown } {
  if (liqo === undefined || liqo === null) return {}
  if (isTooDeep(liqo)) {
    check.add('liqo', TOO_DEEP)
    return {}
  }
  checkTexts('liqo', liqo, check)
  if (JSON.stringify(liqo).length <= LIQO_LENGTH_MAX) return { liqo }
  check.add('liqo', `is larger than ${LIQO_LENGTH_MAX / 1024} KiB`)
  return {}
}
