import { API_BASE, endpoints } from '@bourse/contract'
import type { RelayedCall } from '@bourse/contract/relayed'
import fc from 'fast-check'
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { serverOptions } from '../../http/requests/http-limits.ts'
import { carriedOperation } from './carried-operations.ts'

const call = (path: string, method = 'GET') => ({ method, path }) as RelayedCall
const pathOf = (template: string) => template.replaceAll(/\{\w+\}/g, 'an-id')

/** Ways to write a path that some reader or other takes for the same. */
const spellings: readonly ((path: string, at: number) => string)[] = [
  (path) => `/.${path}`,
  (path) => `/x/..${path}`,
  (path) => `/%2e${path}`,
  (path) => `/x/%2E%2e${path}`,
  (path) => `/${path}`,
  (path) => `${path}/`,
  (path) => `${path};x`,
  (path) => `${path}#x`,
  (path) => `${path}?x=/instructions`,
  (path) => path.toUpperCase(),
  (path) => path.replaceAll('/', '\\'),
  (path) => `/../v1${path}`,
  (path) => `/../../api/v1${path}`,
  (path, at) => escaped(path, at),
  (path, at) => split(path, at, '\t'),
  (path, at) => split(path, at, '\n'),
  (path, at) => split(path, at, '%00'),
  (path, at) => split(path, at, '/./'),
  (path) => `http://elsewhere${path}`,
  (path) => `//elsewhere${path}`,
  (path) => ` ${path}`,
]

function escaped(path: string, at: number): string {
  const place = 1 + (at % (path.length - 1))
  const code = path.charCodeAt(place).toString(16).padStart(2, '0')
  return `${path.slice(0, place)}%${code}${path.slice(place + 1)}`
}

function split(path: string, at: number, between: string): string {
  const place = 1 + (at % path.length)
  return path.slice(0, place) + between + path.slice(place)
}

const spelled = (path: string) =>
  fc
    .array(fc.tuple(fc.constantFrom(...spellings), fc.nat()), { maxLength: 4 })
    .map((steps) => steps.reduce((written, [spell, at]) => spell(written, at), path))

describe('what carriers take', () => {
  it.each(
    endpoints
      .filter(({ id }) => id !== 'streamEvents')
      .map(({ method, path }) => ({ method: method.toUpperCase(), path: pathOf(path) })),
  )('$method $path', ({ method, path }) => {
    expect(carriedOperation(call(path, method))).toMatchObject({ path: `${API_BASE}${path}` })
  })

  it('may be watched if it can wait', () => {
    const watchable = endpoints.filter(
      ({ method, path }) => carriedOperation(call(pathOf(path), method.toUpperCase()))?.isWatchable,
    )

    expect(watchable.map(({ id }) => id).sort()).toEqual([
      ...['getReservation', 'listInstructions', 'listPeerings', 'listReservations'],
    ])
  })

  it('is no stream, in whatever way its path is written', () => {
    fc.assert(
      fc.property(spelled('/events'), (path) => {
        const carried = carriedOperation(call(path))
        expect(carried?.path).not.toBe(`${API_BASE}/events`)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is what the router finds for it: no other route, and never a stream', async () => {
    const server = fastify(serverOptions)
    let found = ''
    for (const { method, path } of endpoints)
      server.route({
        method: method.toUpperCase() as 'GET',
        url: `${API_BASE}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        handler: async ({ routeOptions }) => {
          found = routeOptions.url ?? ''
          return {}
        },
      })
    await server.ready()
    const templates = endpoints.map(({ path }) => pathOf(path))

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...templates).chain(spelled),
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
        async (path, method) => {
          const carried = carriedOperation(call(path, method))
          if (!carried) return
          found = ''
          const url = `${carried.path}${carried.search}`
          await server.inject({ method: method as 'GET', url, headers: {} })
          expect(found).not.toBe('')
          expect(found).not.toBe(`${API_BASE}/events`)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it.each([
    { name: 'a method that is not known', path: '/instructions', method: 'QUERY' },
    { name: 'a command where there is none', path: '/instructions', method: 'POST' },
    { name: 'a path above the API', path: '/../../healthz', method: 'GET' },
    { name: 'a % that begins no character', path: '/reservations/%zz', method: 'GET' },
    { name: 'an id that is empty', path: '/reservations/', method: 'GET' },
    { name: 'no path', path: '', method: 'GET' },
    { name: 'a whole address', path: 'https://x/api/v1/instructions', method: 'GET' },
    { name: 'a path without end', path: `/reservations/${'x'.repeat(4_096)}`, method: 'GET' },
  ])('is not $name', ({ path, method }) => {
    expect(carriedOperation(call(path, method))).toBeUndefined()
  })

  it('keeps an id as it is, a slash in it included', () => {
    expect(carriedOperation(call('/reservations/a%2Fb%20c?wait=1s'))).toEqual({
      path: `${API_BASE}/reservations/a%2Fb%20c`,
      search: '?wait=1s',
      isWatchable: true,
    })
  })
})
