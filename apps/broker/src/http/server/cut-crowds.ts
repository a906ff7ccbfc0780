import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/**
 * While more waits than can be decided, a connection that sends without waiting for its answers
 * gets the one that is due and one more, then it ends: each request that is refused behind another
 * is kept until that is answered, and a few thousand connections would fill the memory with those.
 */
export function cutCrowds(answer: RequestListener, isCrowded: () => boolean): RequestListener {
  const ending = new WeakSet<Socket>()
  return (request, response) => {
    const { socket } = request
    // The parser has more of a connection than it should have sent.
    if (ending.has(socket)) return
    // The connection is given to the response that is due; the others get it when it is done.
    const isBehindAnother = response.socket === null
    if (isBehindAnother && isCrowded()) {
      ending.add(socket)
      response.setHeader('connection', 'close')
    }
    answer(request, response)
  }
}
