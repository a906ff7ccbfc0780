// A process of its own: what opens thousands of connections cannot also measure how others fare. An
// attacker has a machine of its own: here it gets what the others leave.
import { connect, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { ATTACKER_PRIORITY } from './attack-size.ts'

export type Flood = Readonly<{
  port: number
  waves: number
  perWave: number
  everyMs: number
  /** What each connection says before it falls silent. */
  says: string
}>

/** The kernel's queue of connections that wait to be accepted is for the others, too. */
const AT_ONCE = 250
const PAUSE_MS = 20

setPriority(ATTACKER_PRIORITY)
const { port, waves, perWave, everyMs, says }: Flood = JSON.parse(process.argv[2] ?? '{}')
const open = new Set<Socket>()

for (let wave = 0; wave < waves; wave++) {
  const endsAt = performance.now() + everyMs
  for (let opened = 0; opened < perWave; opened += AT_ONCE) {
    for (let one = 0; one < Math.min(AT_ONCE, perWave - opened); one++) dial()
    await sleep(PAUSE_MS)
  }
  await sleep(Math.max(0, endsAt - performance.now()))
}
process.exit(0)

function dial(): void {
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1' })
  open.add(socket)
  // Being cut off is what it is for.
  socket.on('error', () => undefined)
  socket.on('close', () => open.delete(socket))
  if (says !== '') socket.write(Buffer.from(says, 'latin1'))
  socket.resume()
}
