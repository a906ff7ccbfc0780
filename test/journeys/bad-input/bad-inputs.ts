import { anAdvertisement, type RawRequest } from '@bourse/testkit'

export const ADVERTISEMENTS = '/api/v1/advertisements'
export const RESERVATIONS = '/api/v1/reservations'

/** Something wrong, and the answer the contract has for it. */
export type BadInput = Readonly<{
  name: string
  asked: RawRequest
  status: number
  code: string
  /** The one field that is wrong, if it is one. */
  field?: string
}>

const post = (path: string, body: unknown): RawRequest => ({ method: 'POST', path, body })
export const reserve = (wanted: Record<string, unknown>, more = {}) =>
  post(RESERVATIONS, { requestedResources: wanted, ...more })
const lasting = (duration: string) => reserve({ cpu: '1' }, { duration })
export const advertise = (more: object) =>
  post(ADVERTISEMENTS, { ...anAdvertisement('rome'), ...more })
const having = (resources: object) =>
  advertise({ resources: { ...anAdvertisement('rome').resources, ...resources } })
const invalid = (name: string, asked: RawRequest, field: string): BadInput => ({
  name,
  asked,
  status: 400,
  code: 'InvalidRequest',
  field,
})
const manyNames = Object.fromEntries(
  Array.from({ length: 65 }, (_, n) => [`example.com/r${n}`, '1']),
)

export const badInputs: readonly BadInput[] = [
  {
    name: 'half a JSON document',
    asked: post(RESERVATIONS, '{"requestedResources": {"cpu":'),
    status: 400,
    code: 'MalformedJson',
  },
  {
    name: 'a body nested a hundred thousand deep',
    asked: post(RESERVATIONS, '['.repeat(100_000)),
    status: 400,
    code: 'InvalidRequest',
    field: 'body',
  },
  {
    name: 'a body of another type',
    asked: { ...post(RESERVATIONS, 'cpu=1'), headers: { 'content-type': 'text/plain' } },
    status: 415,
    code: 'UnsupportedMediaType',
  },
  {
    name: 'headers beyond their limit',
    asked: { path: RESERVATIONS, headers: { 'x-padding': 'x'.repeat(20_000) } },
    status: 431,
    code: 'HeadersTooLarge',
  },
  {
    name: 'an unknown address',
    asked: { path: '/api/v1/nothing' },
    status: 404,
    code: 'RouteNotFound',
  },
  {
    name: 'an address with an escape that is none',
    asked: { path: `${RESERVATIONS}/%zz` },
    status: 404,
    code: 'RouteNotFound',
  },
  {
    name: 'an id of 300',
    asked: { path: `${RESERVATIONS}/${'x'.repeat(300)}` },
    status: 404,
    code: 'RouteNotFound',
  },
  {
    name: 'an unknown method',
    asked: { method: 'PATCH', path: RESERVATIONS },
    status: 405,
    code: 'MethodNotAllowed',
  },
  {
    name: 'a reservation that never was',
    asked: { path: `${RESERVATIONS}/no-such` },
    status: 404,
    code: 'ReservationNotFound',
  },
  {
    name: 'the advertisement of another cluster',
    asked: post(ADVERTISEMENTS, anAdvertisement('paris')),
    status: 403,
    code: 'NotYours',
  },
  {
    name: 'a request for another cluster',
    asked: reserve({ cpu: '1' }, { requesterID: 'paris' }),
    status: 403,
    code: 'NotYours',
  },

  invalid('a body that is a list', post(RESERVATIONS, []), 'body'),
  invalid('no resources', post(RESERVATIONS, {}), 'requestedResources'),
  invalid('only zeros', reserve({ cpu: '0' }), 'requestedResources'),
  invalid('a negative quantity', reserve({ cpu: '-1' }), 'requestedResources.cpu'),
  invalid('an empty quantity', reserve({ cpu: '', memory: '1Gi' }), 'requestedResources.cpu'),
  invalid('a quantity of 2^63', reserve({ memory: '8Ei' }), 'requestedResources.memory'),
  invalid(
    'an exponent to fill all memory',
    reserve({ cpu: '1e999999999' }),
    'requestedResources.cpu',
  ),
  invalid('a quantity in words', reserve({ cpu: 'lots' }), 'requestedResources.cpu'),
  invalid('a quantity as an object', reserve({ cpu: {} }), 'requestedResources.cpu'),
  invalid('half a GPU', reserve({ gpu: '0.5' }), 'requestedResources.gpu'),
  invalid('65 resources', reserve(manyNames), 'requestedResources'),
  invalid(
    'a gpu and an nvidia.com/gpu that disagree',
    reserve({ gpu: '1', 'nvidia.com/gpu': '2' }),
    'requestedResources["nvidia.com/gpu"]',
  ),
  invalid('a duration of -1h', lasting('-1h'), 'duration'),
  invalid('a duration of 0s', lasting('0s'), 'duration'),
  invalid('a duration of 1y', lasting('1y'), 'duration'),
  invalid('a duration beyond the limit', lasting('721h'), 'duration'),
  invalid('a priority with a fraction', reserve({ cpu: '1' }, { priority: 1.5 }), 'priority'),
  invalid(
    'a request id of 200',
    reserve({ cpu: '1' }, { requestId: 'x'.repeat(200) }),
    'requestId',
  ),
  invalid(
    'a target in capitals',
    reserve({ cpu: '1' }, { targetClusterID: 'Paris' }),
    'targetClusterID',
  ),
  invalid('a waiting line', reserve({ cpu: '1' }, { queue: true }), 'queue'),
  invalid('a misspelt duration', reserve({ cpu: '1' }, { duratoin: '1h' }), 'duratoin'),
  invalid(
    'a start that is not supported yet',
    reserve({ cpu: '1' }, { startsAt: 2030 }),
    'startsAt',
  ),
  invalid('a misspelt resource', reserve({ cpuu: '1' }), 'requestedResources.cpuu'),

  invalid('no cluster id', advertise({ clusterID: undefined }), 'clusterID'),
  invalid('a cluster id with dots', advertise({ clusterID: 'rome.example' }), 'clusterID'),
  invalid('a cluster id with a slash', advertise({ clusterID: '../rome' }), 'clusterID'),
  invalid('a cluster id of 64', advertise({ clusterID: 'r'.repeat(64) }), 'clusterID'),
  invalid('a negative reserved', having({ reserved: { cpu: '-1000' } }), 'resources.reserved.cpu'),
  invalid(
    'a malformed available',
    having({ available: { memory: '4Gb' } }),
    'resources.available.memory',
  ),
  invalid('no capacity', advertise({ resources: {} }), 'resources.capacity'),
  invalid(
    'more allocatable than there is',
    having({ allocatable: { cpu: '9', memory: '32Gi' } }),
    'resources.allocatable.cpu',
  ),
  invalid(
    'more allocatable gpu than there is',
    having({
      capacity: { cpu: '8', memory: '32Gi', gpu: 1 },
      allocatable: { cpu: '8', memory: '32Gi', gpu: 2 },
    }),
    'resources.allocatable.gpu',
  ),
  invalid('a grace as a number', post(`${ADVERTISEMENTS}/rome/withdraw`, { grace: 5 }), 'grace'),
  invalid('a misspelt grace', post(`${ADVERTISEMENTS}/rome/withdraw`, { graec: '5m' }), 'graec'),
  invalid('a withdrawal that is a list', post(`${ADVERTISEMENTS}/rome/withdraw`, []), 'body'),
  invalid(
    'a negative price',
    advertise({ cost: { cpuCost: '-1', currency: 'USD' } }),
    'cost.cpuCost',
  ),
  invalid('a price without currency', advertise({ cost: { cpuCost: '1' } }), 'cost.currency'),
  invalid(
    'a plain http endpoint',
    advertise({ endpointURL: 'http://rome.example' }),
    'endpointURL',
  ),
  invalid('an unknown visibility', advertise({ visibility: 'some' }), 'visibility'),

  invalid('a wait in words', { path: '/api/v1/instructions?wait=soon' }, 'wait'),
  invalid('a negative after', { path: '/api/v1/instructions?wait=1s&after=-1' }, 'after'),
  invalid('a page of none', { path: `${RESERVATIONS}?limit=0` }, 'limit'),
  invalid('a made-up cursor', { path: `${RESERVATIONS}?cursor=abc` }, 'cursor'),
  invalid('a misspelt parameter', { path: `${RESERVATIONS}?phsae=Active` }, 'phsae'),
  invalid('an unknown phase', { path: `${RESERVATIONS}?phase=Lost` }, 'phase'),
  invalid('an unknown role', { path: `${RESERVATIONS}?role=thief` }, 'role'),
  invalid('a release of nothing', { method: 'DELETE', path: RESERVATIONS }, 'requestId'),
]

export const strangeNames = [
  { name: 'slashes', commonName: '../../etc/passwd' },
  { name: '300 characters', commonName: 'r'.repeat(300) },
  { name: 'capitals', commonName: 'Rome' },
  { name: 'a line break', commonName: 'rome\nadmin' },
]
