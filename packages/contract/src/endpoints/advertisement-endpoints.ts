import {
  Advertisement,
  AdvertisementInput,
  AdvertisementList,
  AdvertisementReply,
  WithdrawInput,
} from '../bodies/advertisement.ts'
import { endpointsUnder } from './endpoint.ts'
import { clusterId, paging, reason } from './parameters.ts'

export const advertisementEndpoints = endpointsUnder('Advertisements', {
  publishAdvertisement: {
    at: 'POST /advertisements',
    summary: 'Advertise what a cluster has',
    who: 'The cluster itself: the Common Name must equal `clusterID`.',
    notes:
      'Repeat it as a heartbeat: a cluster that is silent for --stale-after gets nothing new. ' +
      'The answer contains the instructions, so a provider need not ask separately.',
    body: AdvertisementInput,
    replies: { 200: { description: 'Taken', schema: AdvertisementReply } },
    problems: ['NotYours', 'ClaimedElsewhere'],
  },
  listAdvertisements: {
    at: 'GET /advertisements',
    summary: 'All clusters, by id',
    who: 'Operators.',
    parameters: paging,
    replies: { 200: { description: 'A page', schema: AdvertisementList } },
    problems: ['OperatorOnly'],
  },
  getAdvertisement: {
    at: 'GET /advertisements/{clusterID}',
    summary: 'One cluster, with what is reserved and available',
    who: 'The cluster itself, operators.',
    parameters: [clusterId],
    replies: { 200: { description: 'The cluster', schema: Advertisement } },
    problems: ['NotYours', 'AdvertisementNotFound'],
  },
  cordon: change('cordon', 'Place nothing new here'),
  uncordon: change('uncordon', 'Take new reservations again (also withdrawn)'),
  withdraw: {
    ...change('withdraw', 'Place nothing new here and end what is held, after a grace period'),
    body: WithdrawInput,
    bodyOptional: true,
  },
  decommission: {
    at: 'DELETE /advertisements/{clusterID}',
    summary: 'Remove a cluster that will not come back',
    who: 'The provider itself, operators.',
    notes:
      'Only while it holds nothing: withdraw it first. Stop its agent before that: a cluster that is ' +
      'not stale is refused, since its next advertisement would add it again as a new cluster.',
    parameters: [clusterId, reason],
    replies: { 200: { description: 'The cluster as it last was', schema: Advertisement } },
    problems: ['NotYours', 'AdvertisementNotFound', 'StillInUse', 'AgentRuns'],
  },
})

/** A verb that changes what a provider takes. */
function change(verb: string, summary: string) {
  return {
    at: `POST /advertisements/{clusterID}/${verb}`,
    summary,
    who: 'The provider itself, operators.',
    parameters: [clusterId, reason],
    replies: { 200: { description: 'The cluster as it is now', schema: Advertisement } },
    problems: ['NotYours', 'AdvertisementNotFound'],
  } as const
}
