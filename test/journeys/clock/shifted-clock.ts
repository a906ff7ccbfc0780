// Preloaded into a broker (`node --import`): its wall clock goes wrong by as many milliseconds as a
// file says, read at the start and again at SIGUSR2. A machine's own clock is not ours to set.
import { readFileSync } from 'node:fs'

const Real = Date
let shiftMs = 0
read()
process.on('SIGUSR2', read)

globalThis.Date = new Proxy(Real, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [shiftedNow()] : args),
  get: (target, key) => (key === 'now' ? shiftedNow : Reflect.get(target, key)),
})

function shiftedNow(): number {
  return Real.now() + shiftMs
}

function read(): void {
  shiftMs = Number(readFileSync(process.env.SHIFT_FILE ?? '', 'utf8'))
}
