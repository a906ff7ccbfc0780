/** Requests as bytes, made once and changed in place: what differs keeps its width. */

export function requestBytes(method: string, path: string, body?: unknown): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const address = path.startsWith('/apis/') ? path : `/api/v1${path}`
  const lines = [`${method} ${address} HTTP/1.1`, 'host: localhost']
  if (text !== '')
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(text)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`)
}

/** Marks the bytes that `numbered` rewrites. */
const BLANK = '0000000000'

/** A request whose blank digits are replaced by the next number each time. */
export function numbered(request: Buffer, firstNumber: number): () => Buffer {
  const place = request.indexOf(BLANK)
  let number = firstNumber
  return () => {
    number += 1
    if (place >= 0) request.write(String(number).padStart(BLANK.length, '0'), place, 'latin1')
    return request
  }
}

/** Small next to `advertisementBody`, so that a run never fills the federation. */
export function reservationBody(requestIdPrefix: string) {
  return {
    requestedResources: { cpu: '10m', memory: '16Mi' },
    duration: '1h',
    priority: 0,
    requestId: `${requestIdPrefix}-${BLANK}`,
  }
}

/** As small as a custom resource gets: what is left is the API server's own price. */
export function smallObjectBody(namePrefix: string) {
  return {
    apiVersion: 'bench.bourse.dev/v1',
    kind: 'Small',
    metadata: { name: `${namePrefix}-${BLANK}` },
    spec: { note: 'small' },
  }
}

/** What an agent sends every half minute; the digits of its allocated CPU make it a change. */
export function advertisementBody(clusterId: string, number: number) {
  const cores = 2_000 + (number % 7) * 500
  return {
    clusterID: clusterId,
    clusterName: `Cluster ${clusterId}`,
    resources: {
      capacity: { cpu: String(cores), memory: `${4 * cores}Gi`, gpu: '16' },
      allocatable: { cpu: String(cores - 8), memory: `${4 * cores - 32}Gi`, gpu: '16' },
      allocated: { cpu: `${BLANK}m`, memory: '400Gi', gpu: '0' },
      available: { cpu: `${cores - 208}`, memory: `${4 * cores - 432}Gi`, gpu: '16' },
    },
    timestamp: '2026-01-01T00:00:00Z',
    cost: { cpuCost: `0.0${1 + (number % 9)}`, memoryCost: '0.004', currency: 'USD' },
    endpointURL: `https://${clusterId}.example.org:6443`,
    location: `site-${number % 50}`,
    labels: { region: `region-${number % 20}`, tier: 'bench' },
  }
}
