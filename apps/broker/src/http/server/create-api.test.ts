import { API_BASE, endpoints, openApiDocument } from '@bourse/contract'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { apiPorts, settings } from '../../../fixtures/http/server/api.ts'
import { serverOptions } from '../requests/http-limits.ts'
import { createApi } from './create-api.ts'

it('answers where its OpenAPI document says, and nowhere else', async () => {
  const { ports } = await apiPorts()
  const server = fastify(serverOptions)
  const answered: string[] = []
  server.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) answered.push(`${one} ${url}`)
  })

  await createApi(server, ports, {
    settings,
    isLast: () => false,
    identify: () => ({ id: 'rome', isOperator: false }),
  })
  await server.ready()

  // Health is also at the root; fastify answers HEAD where it answers GET.
  const own = answered.filter((route) => !/^HEAD |^GET \/healthz$/.test(route))
  const { paths } = openApiDocument('1') as { paths: Record<string, object> }
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => routeOf(method, path)),
  )
  expect(own.toSorted()).toEqual(documented.toSorted())
  expect(documented).toHaveLength(endpoints.length)
})

function routeOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${API_BASE}${path.replace(/\{(\w+)\}/g, ':$1')}`
}
