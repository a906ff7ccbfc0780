import { setTimeout as sleep } from 'node:timers/promises'
import type { Reservation } from '@bourse/contract'
import type { Stage } from '../harness/benchmark.ts'
import { ask, indexOf, openConnection, type RawAnswer } from '../load/raw-connection.ts'
import { advertisementBody, requestBytes } from '../load/requests.ts'

const GIVE_UP_MS = 10_000

export type ToldProvider = Awaited<ReturnType<typeof joinAsProvider>>

/** A cluster that has advertised and waits for instructions, as its agent would. */
export async function joinAsProvider({ certificates }: Stage, port: number) {
  const directory = await certificates.authority.forCluster('paris')
  const connection = await openConnection({ port, directory })
  const known = new Set<string>()
  let onTold: ((toldMs: number) => void) | undefined

  const advertisement = requestBytes('POST', '/advertisements', advertisementBody('paris', 0))
  const { status, body } = await ask(connection, advertisement)
  if (status !== 200 && status !== 201) throw new Error(`paris was answered ${status}: ${body}`)
  poll(indexOf(await ask(connection, requestBytes('GET', '/instructions'))))

  return { nextToldMs, leave: connection.close }

  /**
   * From the broker's decision, whose moment the instruction carries, until it is here. The
   * requester's answer is later than that moment, so this is at least the time since the answer.
   */
  async function nextToldMs(): Promise<number> {
    const told = new Promise<number>((resolve) => {
      onTold = resolve
    })
    const toldMs = await Promise.race([told, sleep(GIVE_UP_MS, Number.NaN, { ref: false })])
    if (Number.isNaN(toldMs)) throw new Error('paris was not told in time.')
    return toldMs
  }

  function poll(after: string): void {
    connection.send(requestBytes('GET', `/instructions?wait=30s&after=${after}`), (answer) => {
      const now = Date.now()
      if (answer.status !== 200) return
      for (const { id, createdAt } of reservationsIn(answer)) {
        if (!known.has(id)) onTold?.(now - Date.parse(createdAt))
        known.add(id)
      }
      poll(indexOf(answer))
    })
  }
}

// The broker's answer, whose shape its own tests check.
const reservationsIn = ({ body }: RawAnswer) => JSON.parse(body.toString()) as Reservation[]
