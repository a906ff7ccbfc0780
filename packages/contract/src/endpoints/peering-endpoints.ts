import {
  PeeringList,
  PeeringOpening,
  PeeringPosting,
  PeeringSession,
  PeeringTroubleInput,
} from '../bodies/peering.ts'
import { PEERING_ID_PATTERN } from '../fields/limits.ts'
import { endpointsUnder, type Parameter } from './endpoint.ts'
import { paging, reason, waiting, whose } from './parameters.ts'

const id: Parameter = { name: 'id', in: 'path', description: 'Session id' }
const newId: Parameter = { ...id, schema: { type: 'string', pattern: PEERING_ID_PATTERN } }

export const peeringEndpoints = endpointsUnder('Peerings', {
  listPeerings: {
    at: 'GET /peerings',
    summary: 'Peering sessions, by id',
    who: 'Both sides, for their own sessions; operators, for all.',
    notes:
      'At most 100 a page. Operators see the sessions of others without messages; `steps` says ' +
      'when each was posted.',
    parameters: [
      {
        name: 'role',
        in: 'query',
        description: '`requester`, `provider`, or `party` for both.',
        schema: { type: 'string', enum: ['requester', 'provider', 'party', ''] },
      },
      ...whose,
      ...paging,
      ...waiting,
    ],
    replies: { 200: { description: 'A page', schema: PeeringList } },
  },
  getPeering: {
    at: 'GET /peerings/{id}',
    summary: 'One peering session',
    who: 'Both sides, operators.',
    parameters: [id],
    replies: { 200: { description: 'The session', schema: PeeringSession } },
    problems: ['PeeringNotFound'],
  },
  openPeering: {
    at: 'PUT /peerings/{id}',
    summary: 'Open a session with a provider',
    who: 'A requester with a live reservation on that provider.',
    notes:
      'The requester chooses the id, so that its signature covers it: `ps-` and 26 random ' +
      'characters of a-z and 2-7. Repeating the call changes nothing, another `hello` restarts the ' +
      'session, and another id replaces the session of the pair.',
    parameters: [newId],
    body: PeeringOpening,
    replies: {
      201: { description: 'Opened', schema: PeeringSession },
      200: { description: 'Known', schema: PeeringSession },
    },
    problems: ['NoReservation', 'PeeringIdTaken', 'TooManyPeerings'],
  },
  postPeering: {
    at: 'POST /peerings/{id}/messages',
    summary: 'Post the next step; posting a step again replaces it',
    who: 'The requester: hello, tenant, tunnel, ready, goodbye. The provider: nonce, grant, gateway.',
    notes:
      '`ready` makes the session established and drops tenant, grant, gateway and tunnel; ' +
      '`goodbye` makes it closing. Later messages change nothing.',
    parameters: [id],
    body: PeeringPosting,
    replies: { 200: { description: 'The session as it is now', schema: PeeringSession } },
    problems: ['NotYours', 'PeeringNotFound'],
  },
  reportPeeringTrouble: {
    at: 'POST /peerings/{id}/trouble',
    summary: 'Report why a side is stuck; its next message clears the report',
    who: 'Both sides.',
    parameters: [id],
    body: PeeringTroubleInput,
    replies: { 200: { description: 'The session as it is now', schema: PeeringSession } },
    problems: ['PeeringNotFound'],
  },
  closePeering: {
    at: 'DELETE /peerings/{id}',
    summary: 'Close a session: the peering is gone, or its agents cannot remove it',
    who: 'Both sides, operators.',
    parameters: [id, reason],
    replies: { 204: { description: 'Closed' } },
    problems: ['PeeringNotFound'],
  },
})
