import type { KubeObject } from '@bourse/kube'

/** What a gateway says of the tunnel, measured again every few seconds. */
export type Connection = KubeObject<
  unknown,
  Readonly<{
    value?: 'Connected' | 'Connecting' | 'Error' | ''
    latency?: Readonly<{ value?: string; timestamp?: string }>
  }>
>

const UNITS_MS: Readonly<Record<string, number>> = {
  μs: 0.001,
  µs: 0.001,
  us: 0.001,
  ms: 1,
  s: 1_000,
}
/** Coarse, so that a condition does not change with every measurement. */
const STEPS_MS = [1, 5, 10, 20, 50, 100, 200, 500]

/** How fast the other end answers, in words; undefined where it was not measured. */
export function latencyIn({ status }: Connection): string | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(\D+)$/.exec(status?.latency?.value ?? '') ?? []
  const factor = UNITS_MS[unit]
  if (amount === undefined || factor === undefined) return undefined
  const latencyMs = Number(amount) * factor
  const step = STEPS_MS.find((most) => latencyMs < most)
  return step === undefined ? 'in half a second or more' : `within ${step} ms`
}

export function isConnected(connection: Connection | undefined): boolean {
  return connection?.status?.value === 'Connected'
}

export function isSameToPeople(one: Connection, other: Connection): boolean {
  return one.status?.value === other.status?.value && latencyIn(one) === latencyIn(other)
}
