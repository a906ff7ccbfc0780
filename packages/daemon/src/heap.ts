import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type How = Readonly<{ flavor: 'last-resort'; type?: 'major'; execution?: 'async' }>

/**
 * V8's own for this thread, which a script sees only in a context made while the flag is set. It is
 * of the process and stays set: another thread may be about to make its context.
 */
export function collector(how: How = { flavor: 'last-resort' }): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: How) => void
  return () => collect(how)
}
