import { fetchAnew, type TestBroker } from '@bourse/testkit'

/** A figure of a broker's metrics, such as `broker_open_waits`; labels as they are written. */
export async function figureOf({ metricsUrl }: TestBroker, name: string): Promise<number> {
  const text = await (await fetchAnew(metricsUrl)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? Number.NaN)
}
