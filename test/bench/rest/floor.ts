import { startWorker } from '../harness/worker.ts'

export type FloorOrder = Readonly<{
  certificates: string
  /** How large the broker's answers are. */
  replyBytes: Readonly<{ reservation: number; advertisement: number }>
}>

export type Floor = Readonly<{ port: number; pid: number; stop(): void }>

export async function startFloor(order: FloorOrder): Promise<Floor> {
  const file = new URL('./floor-server.ts', import.meta.url)
  const { first, pid, stop } = await startWorker(file, order)
  // What `floor-server.ts` sends once it listens.
  return { port: (first as { port: number }).port, pid, stop }
}
