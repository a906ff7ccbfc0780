import { API_BASE, type Endpoint, endpoints, type JsonSchema } from '@bourse/contract'
import type { FastifyInstance } from 'fastify'

const known = new Map(endpoints.map((endpoint) => [routeOf(endpoint), endpoint]))

/**
 * Routes take the parameters that the contract has for them and no others, each once and as text,
 * and no fields where the contract has no body. The route checks the values.
 */
export function takeOnlyKnown(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    const endpoint = known.get(`${route.method} ${route.url}`)
    if (!endpoint) return
    const { method, body, parameters = [] } = endpoint
    const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
    route.schema = {
      ...route.schema,
      querystring: only('object', names),
      ...(method !== 'get' && !body && { body: only(['object', 'null'], []) }),
    }
  })
}

function routeOf({ method, path }: Endpoint): string {
  return `${method.toUpperCase()} ${API_BASE}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
}

function only(type: string | readonly string[], names: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { type, properties, additionalProperties: false }
}
