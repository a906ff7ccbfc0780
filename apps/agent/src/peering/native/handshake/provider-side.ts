import { randomBytes } from 'node:crypto'
import type { PeeringSession } from '@bourse/contract'
import type { Clock } from '@bourse/kube'
import { reached, type Step, waiting } from '../../port/peering.ts'
import type { AuthParams, LiqoTenant } from '../liqo/liqo-tenant.ts'
import type { OwnLiqo } from '../liqo/own-liqo.ts'
import type { Bodies } from '../session/bodies.ts'
import {
  awaitedOf,
  heardOr,
  isWorthTelling,
  type Messages,
  type Stop,
} from '../session/messages.ts'
import type { Sessions } from '../session/sessions.ts'
import { isBuilder, type Networks } from '../tunnel/network.ts'
import { asksOnlyFor, peerSubject } from './certificate-request.ts'
import { grantProblem, isFor } from './grant-check.ts'
import { type PairState, TUNNEL_AGAIN_MS } from './pair-state.ts'
import type { Distrust, Peers } from './peers.ts'
import type { ProviderObjects } from './provider-objects.ts'

export type ProviderSide = ReturnType<typeof createProviderSide>

type Ports = Readonly<{
  liqo: OwnLiqo
  own: ProviderObjects
  messages: Messages
  peers: Pick<Peers, 'doubt' | 'pin'>
  networks: Pick<Networks, 'for'>
  sessions: Pick<Sessions, 'find'>
  /** Where requesters reach this API server, if not where Liqo says. */
  apiServerUrl?: string | undefined
  clock: Pick<Clock, 'now'>
}>

type Hand = Readonly<{ session: PeeringSession; peer: string; hello: Bodies['hello'] }>
type Certified = Readonly<{ params: AuthParams; namespace: string; publicKey: string }>
type Offered = Readonly<{ nonce: Bodies['nonce']; namespace: string }>

/** Until Liqo has had the time to say why it does not certify. */
const COMPLAINT_AFTER_MS = 1_500
const TYPE = 'TenantReady'

/**
 * The provider's half of the handshake, for a requester that something is reserved for.
 * ```
 *   hello ─► nonce made by Liqo ─► nonce ─► tenant ─► Tenant, verified by Liqo ─► grant
 * ```
 */
export function createProviderSide(ports: Ports) {
  const { liqo, own, messages, peers } = ports

  return { advance }

  async function advance(session: PeeringSession): Promise<PairState> {
    const peer = session.requesterID
    const said = await messages.read(session, 'hello')
    if (said.kind === 'nothing') return { steps: [awaitedOf('PeeringRequested', peer, session)] }
    if (said.kind === 'refused')
      return stop(session, { stop: waiting('PeeringRequested', said.reason, said.message) })
    const { body: hello } = said
    const doubt = await doubtOf(peer, hello.liqoID)
    if (doubt) return stop(session, { stop: waiting(TYPE, doubt.reason, doubt.message) })
    // From now on no other cluster can claim this id. With a peering made by hand, only the key
    // shows its owner, so it is not pinned yet.
    if (!own.stranger(peer, hello.liqoID)) await peers.pin(peer, { liqoID: hello.liqoID })
    return shake({ session, peer, hello })
  }

  async function doubtOf(peer: string, liqoID: string): Promise<Distrust | undefined> {
    if ((await liqo.facts()).liqoId !== liqoID) return peers.doubt(peer, { liqoID })
    const message = `${peer} claims the Liqo id ${liqoID}, which is this cluster's own.`
    return { reason: 'LiqoIdClaimed', message }
  }

  async function shake(hand: Hand): Promise<PairState> {
    const { session, peer, hello } = hand
    const offered = await offer(hand)
    if ('stop' in offered) return stop(session, offered)
    const place = { peer, liqoId: hello.liqoID, namespace: offered.namespace }
    const network = ports.networks.for(session.networking)
    // Both go as far as they can each time: the gateway starts while Liqo certifies.
    const apart = await network.offer(session, {
      ...place,
      challenge: offered.nonce.challenge,
      echo: hello.challenge,
      behind: hello.subnets,
      isBuilder: isBuilder(session, ports.sessions, { role: 'provider', peer }),
    })
    const refused = await certify(hand, offered)
    if (refused) return stop(session, refused)
    if (apart) return stop(session, apart)
    return { steps: [...LENDING, ...network.standing(place)], ready: place }
  }

  /** A nonce for this hello; one that was posted for it already stands. */
  async function offer({ session, peer, hello }: Hand): Promise<Offered | Stop> {
    const place = { peer, liqoId: hello.liqoID }
    const namespace = await own.namespace(place)
    if (namespace === undefined) return { stop: waiting(TYPE, 'NamespaceTerminating', TERMINATING) }
    const nonce = await own.nonce({ ...place, namespace })
    if (nonce === undefined) return { stop: waiting(TYPE, 'WaitingForLiqo', CHALLENGING) }
    const told = await messages.read(session, 'nonce')
    if (told.kind === 'genuine' && told.body.echo === hello.challenge && told.body.nonce === nonce)
      return { nonce: told.body, namespace }
    const [{ liqoId }, { publicKey }] = await Promise.all([liqo.facts(), liqo.keys()])
    const challenge = randomBytes(18).toString('base64url')
    const answer = { echo: hello.challenge, nonce, tenantNamespace: namespace, challenge }
    const body = { ...answer, liqoID: liqoId, liqoPublicKey: publicKey }
    await messages.post(session, 'nonce', body)
    return { nonce: body, namespace }
  }

  /** From the requester's signature to a certificate, by Liqo's own judgement. */
  async function certify(hand: Hand, { nonce, namespace }: Offered): Promise<Stop | undefined> {
    const { session, peer, hello } = hand
    const expected = { type: TYPE, challenge: nonce.challenge } as const
    const awaited = awaitedOf(TYPE, peer, session)
    const said = heardOr(await messages.read(session, 'tenant'), { ...expected, awaited })
    if ('stop' in said) return said
    const { body } = said
    if (body.clusterID !== hello.liqoID) return { stop: waiting(TYPE, 'OtherCluster', OTHER) }
    const claim = { liqoID: body.clusterID, publicKey: body.publicKey }
    const stranger = own.stranger(peer, body.clusterID)
    if (stranger && !isOfKey(stranger, body.publicKey))
      return { stop: waiting(TYPE, 'LiqoIdClaimed', claimedOf(stranger, peer)) }
    const doubt = peers.doubt(peer, claim)
    if (doubt) return { stop: waiting(TYPE, doubt.reason, doubt.message) }
    const flaw = flawOf(body, peer)
    if (flaw) return flaw
    await peers.pin(peer, claim)
    const made = await own.liqoTenant(peer, namespace, body)
    const params = made.status?.authParams
    if (!params || !isFor(params, body.publicKey)) return { stop: await uncertified(made) }
    return handOut(hand, { params: reachable(params, ports), namespace, publicKey: body.publicKey })
  }

  async function handOut({ session, hello }: Hand, certified: Certified) {
    const { params: authParams, namespace: tenantNamespace, publicKey } = certified
    const flaw = grantProblem(authParams, publicKey)
    if (flaw) return { stop: waiting(TYPE, flaw.reason, flaw.message) }
    const { challenge: echo } = hello
    const told = await messages.read(session, 'grant')
    const isTold = told.kind === 'genuine' && told.body.echo === echo
    if (isTold && told.body.authParams.signedCRT === authParams.signedCRT) return undefined
    await messages.post(session, 'grant', { echo, authParams, tenantNamespace })
    return undefined
  }

  async function uncertified(made: LiqoTenant): Promise<Step> {
    const { creationTimestamp } = made.metadata
    const age = ports.clock.now() - Date.parse(creationTimestamp ?? '')
    const complaint = age > COMPLAINT_AFTER_MS ? await own.complaint(made) : undefined
    if (!complaint) return waiting(TYPE, 'WaitingForLiqo', CERTIFYING)
    return waiting(TYPE, complaint.reason, `Liqo says: ${complaint.message}`)
  }

  async function stop(session: PeeringSession, { stop: step, againAfterMs }: Stop) {
    const { reason = 'Stuck', message = '' } = step
    if (isWorthTelling(step, session)) await messages.complain(session, { reason, message })
    const before = BEFORE[step.type] ?? [REQUESTED]
    const laterMs = step.type === 'NetworkReady' ? TUNNEL_AGAIN_MS : undefined
    const soonMs = reason === 'WaitingForLiqo' ? COMPLAINT_AFTER_MS : laterMs
    return { steps: [...before, step], againAfterMs: againAfterMs ?? soonMs }
  }
}

function reachable(params: AuthParams, { apiServerUrl }: Pick<Ports, 'apiServerUrl'>): AuthParams {
  return apiServerUrl === undefined ? params : { ...params, apiServer: apiServerUrl }
}

function isOfKey({ spec }: LiqoTenant, publicKey: string): boolean {
  return Buffer.from(spec?.publicKey ?? '', 'base64').equals(Buffer.from(publicKey))
}

/** Replacing its key would break the existing peering. */
function claimedOf({ metadata, spec }: LiqoTenant, peer: string): string {
  const { namespace, name } = metadata
  return (
    `${peer} claims the Liqo id ${spec?.clusterID}, for which Tenant ${namespace}/${name} has ` +
    `another key. If that was made by hand for ${peer} before its Liqo was reinstalled, delete it.`
  )
}

/** Another group may have rights that no peer should have. */
function flawOf({ clusterID, csr, publicKey }: Bodies['tenant'], peer: string): Stop | undefined {
  const subject = peerSubject(clusterID)
  if (asksOnlyFor(csr, publicKey, subject)) return undefined
  const message =
    `The certificate request of ${peer} is not for user ${clusterID} in group ` +
    `${subject.organization} only, so it is not passed to Liqo.`
  return { stop: waiting(TYPE, 'InvalidCSR', message) }
}

const TERMINATING = 'The tenant namespace is being deleted; a new one follows'
const CHALLENGING = 'Liqo here is creating a nonce'
const CERTIFYING = "Liqo here is certifying the requester's key"
const OTHER = 'The key to certify is for another cluster than the one that sent the hello.'

const REQUESTED = reached('PeeringRequested', 'Requested', 'The requester has asked for a peering')
export const LENDING: readonly Step[] = [
  REQUESTED,
  reached(TYPE, 'Granted', "The requester's key is certified"),
]
const BEFORE: Readonly<Record<string, readonly Step[]>> = {
  PeeringRequested: [],
  NetworkReady: LENDING,
}
