import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type How = Readonly<{ flavor: 'last-resort'; type?: 'major'; execution?: 'async' }>

/**
 * The garbage collector of this thread. V8 exposes it only to contexts created while the flag is
 * set. The flag is process-wide and stays set: another thread may be creating its context.
 */
export function collector(how: How = { flavor: 'last-resort' }): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: How) => void
  return () => collect(how)
}
