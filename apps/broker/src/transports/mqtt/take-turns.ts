/** Messages that are heard in one turn of the event loop. */
const PER_TURN = 8

/**
 * A server sends hundreds of messages in one piece, and the library would handle all of them
 * before it lets go of the event loop. `done` asks for the next message. Every so often that is
 * in a later turn: callers by other transports are heard before it, and the server has to wait.
 */
export function takeTurns() {
  let heard = 0
  return function next(done: () => void): void {
    heard = (heard + 1) % PER_TURN
    if (heard === 0) setImmediate(done)
    else done()
  }
}
