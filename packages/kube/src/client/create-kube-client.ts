import type { Connection } from '../connection/connection.ts'
import { apiVersionOf, type Kind, type KubeObject } from '../objects/objects.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { collectionPath, objectPath, withQuery } from './addresses.ts'
import { createConnections } from './connections.ts'
import { type Call, createExchange } from './exchange.ts'
import type { CallOptions, KubeClient, Listed, Timeouts, WriteOptions } from './kube-client.ts'
import { readPages } from './listing.ts'
import { readWatch } from './watching.ts'

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  headersMs: 15_000,
  bodyMs: 15_000,
  totalMs: 30_000,
  // Bookmarks come every minute or two.
  watchSilenceMs: 5 * 60_000,
}

const MERGE_PATCH = 'application/merge-patch+json'
/** The body is JSON, which is valid YAML. */
const APPLY_PATCH = 'application/apply-patch+yaml'

export type KubeClientOptions = Readonly<{ timeouts?: Partial<Timeouts>; clock?: Clock }>

export function createKubeClient(
  connection: Connection,
  { timeouts, clock = systemClock }: KubeClientOptions = {},
): KubeClient {
  const limits = { ...DEFAULT_TIMEOUTS, ...timeouts }
  const connections = createConnections(connection, limits)
  const exchange = createExchange({ connection, connections, timeouts: limits, clock })

  async function ask<T>(call: Call, options?: CallOptions): Promise<T> {
    return (await exchange.ask<T>(call, options)).body
  }

  function put<T extends KubeObject>(kind: Kind, object: T, options: PutOptions): Promise<T> {
    const path = objectPath(kind, object.metadata, options.subresource)
    const body = typed(kind, object)
    return ask({ method: 'PUT', path: withQuery(path, queryOf(options)), body }, options)
  }

  return {
    namespace: connection.namespace,
    get: (kind, name, namespace, options) =>
      ask({ method: 'GET', path: objectPath(kind, { name, namespace }) }, options),
    async list<T extends KubeObject>(kind: Kind, options = {}): Promise<Listed<T>> {
      let items: T[] = []
      let resourceVersion = ''
      for await (const page of readPages<T>(exchange, kind, options)) {
        items = page.isFirst ? [...page.items] : items.concat(page.items)
        resourceVersion = page.resourceVersion
      }
      return { items, resourceVersion }
    },
    pages: (kind, options = {}) => readPages(exchange, kind, options),
    create(kind, object, options = {}) {
      const path = collectionPath(kind, object.metadata.namespace)
      const body = typed(kind, object)
      return ask({ method: 'POST', path: withQuery(path, queryOf(options)), body }, options)
    },
    replace: (kind, object, options = {}) => put(kind, object, options),
    replaceStatus: (kind, object, options = {}) =>
      put(kind, object, { ...options, subresource: 'status' }),
    mergePatch(kind, ref, patch, options = {}) {
      const path = withQuery(objectPath(kind, ref, options.subresource), queryOf(options))
      return ask({ method: 'PATCH', path, body: patch, contentType: MERGE_PATCH }, options)
    },
    apply(kind, object, options) {
      const query = { ...queryOf(options), force: options.force }
      const path = withQuery(objectPath(kind, object.metadata, options.subresource), query)
      const body = typed(kind, object)
      return ask({ method: 'PATCH', path, body, contentType: APPLY_PATCH }, options)
    },
    async delete(kind, ref, options = {}) {
      const { preconditions, propagationPolicy, gracePeriodSeconds } = options
      const body = { preconditions, propagationPolicy, gracePeriodSeconds }
      await ask({ method: 'DELETE', path: objectPath(kind, ref), body }, options)
    },
    watch: (kind, options = {}) => readWatch({ exchange, clock }, kind, options),
    raw: (method, path, body, options) => ask({ method, path, body }, options),
    serverTime: exchange.serverTime,
    close: connections.close,
  }
}

type PutOptions = WriteOptions & { readonly subresource?: 'status' }

function queryOf({ fieldManager, fieldValidation }: WriteOptions) {
  return { fieldManager, fieldValidation }
}

/** Items of a list lack apiVersion and kind. */
function typed<T extends object>(kind: Kind, object: T): T {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...object }
}
