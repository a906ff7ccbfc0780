import { SEEN_HEADER } from '@bourse/contract'
import type { FastifyInstance } from 'fastify'
import type { SeenVerdict } from '../../rollback/rollback-guard.ts'
import { BrokerError } from '../errors/broker-error.ts'

const NAME = SEEN_HEADER.toLowerCase()

/** Checks the newest proof that a caller has seen, before anything is done for it. */
export function judgeSeen(server: FastifyInstance, judge: (seen: string) => SeenVerdict): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const seen = request.headers[NAME]
    if (seen === undefined) return done()
    const verdict = judge(String(seen))
    done(verdict === 'fine' ? undefined : refusals[verdict]())
  })
}

const refusals = {
  malformed: () =>
    refusal('it is not the value of an answer', 'send <Bourse-Ledger>/<Bourse-Proof> of an answer'),
  unproven: () =>
    refusal('it is beyond the end of this ledger, which never issued it', 'send none'),
} as const

function refusal(what: string, next: string): BrokerError {
  const message = `${SEEN_HEADER} proves nothing: ${what}; ${next}`
  return new BrokerError('UnprovenIndex', `${message}.`, {
    fields: [{ path: SEEN_HEADER, message }],
  })
}
