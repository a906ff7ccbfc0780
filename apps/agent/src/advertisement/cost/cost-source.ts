import { createSignal } from '@bourse/daemon/signal'
import { createReflector, type KubeClient, type Reflector } from '@bourse/kube'
import type { NodeObject, NodeRules } from '../../capacity/index.ts'
import type { CostConfig, ObjectName } from '../../config/index.ts'
import { CONFIG_MAP, type ConfigMap, NODE } from '../../kubernetes/kinds.ts'
import type { Log } from '../../runtime/log.ts'
import { averagePrices, type PricedNode, pricedNode } from './node-prices.ts'
import { type PriceList, readPriceList } from './price-list.ts'
import { type Cost, firstOf, hasPrice, type Prices } from './prices.ts'
import { createWeekClock, tariffAt } from './tariff.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'pages' | 'watch' | 'namespace'>
  config: CostConfig
  /** Which nodes count. */
  rules: NodeRules
  log: Log
  now?(): number
}>
type Listed = Readonly<{ list: PriceList; pricesAt(now: number): Prices }>

/** Tariffs change on the minute. */
const TICK_MS = 60_000

/**
 * Each price comes from the first source that has it: the current tariff, the price list, the node
 * labels, the flags.
 */
export function createCostSource(ports: Ports) {
  const { client, config, rules, log, now = Date.now } = ports
  const { subscribe, tell } = createSignal()
  const reflectors: Reflector<unknown>[] = []
  const nodes = new Map<string, PricedNode>()
  let listed: Listed | undefined
  let trouble: string | undefined
  let clock: NodeJS.Timeout | undefined

  function take({ data = {} }: ConfigMap): void {
    const read = readPriceList(data)
    trouble = read.kind === 'bad' ? `The price list: ${read.problems.join('; ')}.` : undefined
    if (read.kind === 'bad') log.warn({ problems: read.problems }, 'the price list is invalid')
    else listed = listedFrom(read.list)
    tell()
  }

  function forget(): void {
    listed = undefined
    trouble = undefined
    tell()
  }

  function followList({ namespace = client.namespace, name }: ObjectName): void {
    const reflector = createReflector<ConfigMap, ConfigMap>({
      client,
      kind: CONFIG_MAP,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      on: { added: take, changed: take, removed: forget },
      onTrouble: (err) => log.warn({ err, name, namespace }, 'cannot watch the price list'),
    })
    reflectors.push(reflector)
    clock = setInterval(() => listed?.list.tariffs.length && tell(), TICK_MS).unref()
  }

  function followNodes(): void {
    const note = (node: PricedNode, key: string) => {
      nodes.set(key, node)
      tell()
    }
    const on = {
      added: note,
      changed: (node: PricedNode, _: PricedNode, key: string) => note(node, key),
      removed: (_: PricedNode, key: string) => {
        nodes.delete(key)
        tell()
      },
    }
    const onTrouble = (err: Error) => log.warn({ err }, "the nodes' prices cannot be followed")
    const decode = (node: NodeObject) => pricedNode(node, rules)
    reflectors.push(
      createReflector<PricedNode, NodeObject>({ client, kind: NODE, decode, on, onTrouble }),
    )
  }

  return {
    async start(): Promise<void> {
      if (config.configMap) followList(config.configMap)
      if (config.fromNodes) followNodes()
      await Promise.all(reflectors.map(({ synced }) => synced))
    },
    /** Undefined: this cluster has no prices. */
    current(): Cost | undefined {
      const prices = firstOf(listed?.pricesAt(now()) ?? {}, averagePrices(nodes.values()), config)
      if (!hasPrice(prices)) return undefined
      return { ...prices, currency: listed?.list.currency ?? config.currency }
    },
    /** Called when `current` may have changed. */
    subscribe,
    /** Why the price list is invalid; meanwhile the last valid one counts. */
    trouble: () => trouble,
    async stop(): Promise<void> {
      clearInterval(clock)
      await Promise.all(reflectors.map((reflector) => reflector.stop()))
    },
  }
}

function listedFrom(list: PriceList): Listed {
  if (list.tariffs.length === 0) return { list, pricesAt: () => list.prices }
  const weekMinute = createWeekClock(list.timeZone)
  const pricesAt = (now: number) =>
    firstOf(tariffAt(list.tariffs, weekMinute(now))?.prices ?? {}, list.prices)
  return { list, pricesAt }
}
