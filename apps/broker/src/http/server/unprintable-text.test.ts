import { describe, expect, it } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'

const BAD = [
  { name: 'an escape', character: '\u001b' },
  { name: 'a C1 control', character: '\u009b' },
  { name: 'a mark that turns text round', character: '\u202e' },
  { name: 'a zero-width space', character: '\u200b' },
  { name: 'a carriage return', character: '\r' },
] as const
const ESTIMATE = { requestedResources: { cpu: '1' } }
const SESSION = '/peerings/ps-aaaaaaaaaaaaaaaaaaaaaaaaaa'

type Sent = Readonly<{ method?: 'POST' | 'PUT' | 'DELETE'; url: string; payload?: object }>
type Row = Readonly<{ path: string; sent(bad: string): Sent }>

const advertised = (path: string, more: (bad: string) => object): Row => ({
  path,
  sent: (bad) => ({ url: '/advertisements', payload: anAdvertisement(more(bad)) }),
})
const reserved = (path: string, more: (bad: string) => object): Row => ({
  path,
  sent: (bad) => ({ url: '/reservations', payload: { ...ESTIMATE, ...more(bad) } }),
})

function anAdvertisement(more: object) {
  return { clusterID: 'rome', resources: { capacity: { cpu: '4' } }, ...more }
}

/** Every text that a caller can send, wherever it stands. */
const FIELDS: readonly Row[] = [
  advertised('clusterID', (bad) => ({ clusterID: `rome${bad}` })),
  advertised('clusterName', (bad) => ({ clusterName: `Rome${bad}` })),
  advertised('timestamp', (bad) => ({ timestamp: bad })),
  advertised('endpointURL', (bad) => ({ endpointURL: `https://rome.example/${bad}` })),
  advertised('location', (bad) => ({ location: `Rome${bad}` })),
  advertised('location.city', (bad) => ({ location: { city: `Rome${bad}` } })),
  advertised('labels.zone', (bad) => ({ labels: { zone: `a${bad}` } })),
  advertised('labels[', (bad) => ({ labels: { [`zone${bad}`]: 'a' } })),
  advertised('cost.currency', (bad) => ({ cost: { cpuCost: '1', currency: `E${bad}` } })),
  advertised('cost.cpuCost', (bad) => ({ cost: { cpuCost: `1${bad}`, currency: 'USD' } })),
  advertised('used[', (bad) => ({ used: { [`rsv-${bad}`]: { cpu: '1' } } })),
  advertised('gpuModels[', (bad) => ({ gpuModels: { [`H100${bad}`]: 1 } })),
  advertised('liqo.version', (bad) => ({ liqo: { version: `1${bad}` } })),
  advertised('liqo.flavours.0', (bad) => ({ liqo: { flavours: [bad] } })),
  advertised('liqo[', (bad) => ({ liqo: { [bad]: 1 } })),
  advertised('visibility', (bad) => ({ visibility: `full${bad}` })),
  advertised('resources.capacity[', (bad) => ({ resources: { capacity: { [`a/${bad}`]: '1' } } })),
  advertised('resources.capacity.cpu', (bad) => ({ resources: { capacity: { cpu: `1${bad}` } } })),
  reserved('requestId', (bad) => ({ requestId: `job${bad}` })),
  reserved('duration', (bad) => ({ duration: `1h${bad}` })),
  reserved('targetClusterID', (bad) => ({ targetClusterID: `paris${bad}` })),
  reserved('requesterID', (bad) => ({ requesterID: `rome${bad}` })),
  reserved('requestedResources[', (bad) => ({ requestedResources: { [`a/${bad}`]: '1' } })),
  {
    path: 'requestId',
    sent: (bad) => ({
      method: 'DELETE',
      url: `/reservations?requestId=${encodeURIComponent(`job${bad}`)}`,
    }),
  },
  {
    path: 'hello',
    sent: (bad) => ({
      method: 'PUT',
      url: SESSION,
      payload: { providerID: 'paris', networking: 'none', hello: `eyJ${bad}` },
    }),
  },
  {
    path: 'sealed',
    sent: (bad) => ({ url: `${SESSION}/messages`, payload: { step: 'hello', sealed: `e${bad}` } }),
  },
  {
    path: 'message',
    sent: (bad) => ({ url: `${SESSION}/trouble`, payload: { reason: 'Stuck', message: bad } }),
  },
  {
    path: 'reason',
    sent: (bad) => ({ url: `${SESSION}/trouble`, payload: { reason: `S${bad}`, message: 'x' } }),
  },
]

describe.each(BAD)('$name', ({ character }) => {
  it('is refused in every field, by name, and nothing of it is sent back as it came', async () => {
    const { call } = await anApi()
    for (const { path, sent } of FIELDS) {
      const reply = await call('rome', { method: 'POST', ...sent(character) })

      expect([path, reply.status]).toEqual([path, 400])
      const [field] = reply.body.fields
      expect(field.path.slice(0, path.length)).toBe(path)
      expect(JSON.stringify(reply.body)).not.toContain(character)
    }
  })
})

it('lines are fine where text is carried as it came, and text of every language anywhere', async () => {
  const { advertise } = await anApi()

  const { status } = await advertise('rome', {
    clusterName: 'Рим — 羅馬 🏛',
    location: 'Ῥώμη, IT',
    liqo: { ca: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n' },
  })

  expect(status).toBe(200)
})
