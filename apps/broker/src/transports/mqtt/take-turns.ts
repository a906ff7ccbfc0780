/** Messages that are heard in one turn of the event loop. */
const PER_TURN = 8

/**
 * A server sends hundreds of messages in one piece, and the library would handle all of them
 * before it lets go of the event loop. `done` asks for the next message: some turns later, so that
 * callers by other carriers are heard in between, and the server has to wait.
 */
export function takeTurns() {
  let heard = 0
  return function next(done: () => void): void {
    heard = (heard + 1) % PER_TURN
    if (heard === 0) setImmediate(done)
    else done()
  }
}
