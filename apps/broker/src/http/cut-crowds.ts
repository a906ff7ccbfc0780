import type { RequestListener } from 'node:http'

/**
 * While more waits than can be decided, a connection that sends without waiting for its answers is
 * cut off: each request that is refused behind another one is kept until that is answered, and a
 * few thousand connections would fill the memory with refusals.
 */
export function cutCrowds(answer: RequestListener, isCrowded: () => boolean): RequestListener {
  return (request, response) => {
    const { socket } = request
    // Of a connection that was cut off the parser still has what it had read.
    if (socket.destroyed) return
    // The connection is given to the response that is due; the others get it when it is done.
    const isBehindAnother = response.socket === null
    if (isBehindAnother && isCrowded()) socket.destroy()
    else answer(request, response)
  }
}
