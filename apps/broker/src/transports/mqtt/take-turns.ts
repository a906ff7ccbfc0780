/** Messages that are heard in one turn of the event loop. */
const PER_TURN = 8
/**
 * Until the server is read again after a message that was refused, by its length. Meanwhile others
 * have the event loop, and the rest of a flood stays with the server, which drops it.
 */
const REST_MS = 0.06
const REST_MS_PER_BYTE = 20 / (1024 * 1024)
/** A timer is no finer than this. */
const REST_MS_MIN = 2

/**
 * A server sends hundreds of messages in one piece, and the library would handle all of them
 * before it lets go of the event loop. `done` asks for the next message. Every so often that is
 * in a later turn: callers by other transports are heard before it, and the server has to wait.
 */
export function takeTurns() {
  let heard = 0
  let restMs = 0

  return { onRefused, next }

  function onRefused(bytes: number): void {
    restMs += REST_MS + bytes * REST_MS_PER_BYTE
  }

  function next(done: () => void): void {
    heard = (heard + 1) % PER_TURN
    if (restMs >= REST_MS_MIN) rest(done)
    else if (heard === 0) setImmediate(done)
    else done()
  }

  function rest(done: () => void): void {
    setTimeout(done, restMs)
    restMs = 0
  }
}
