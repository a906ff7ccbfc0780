import { fork } from 'node:child_process'
import { once } from 'node:events'

export type FloorOrder = Readonly<{
  certificates: string
  /** How large the broker's answers are. */
  replyBytes: Readonly<{ reservation: number; advertisement: number }>
}>

export type Floor = Readonly<{ port: number; pid: number; stop(): void }>

export async function startFloor(order: FloorOrder): Promise<Floor> {
  const child = fork(new URL('./floor-server.ts', import.meta.url), [JSON.stringify(order)])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The echo server ended with code ${code}.`)
  })
  // What `floor-server.ts` sends once it listens.
  const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }]
  if (child.pid === undefined) throw new Error('The echo server has no process id.')
  return { port, pid: child.pid, stop: () => child.kill() }
}
