import { randomBytes } from 'node:crypto'
import type { PeeringNetworking, PeeringSession } from '@bourse/contract'
import { given } from '@bourse/daemon/given'
import type { Clock } from '@bourse/kube'
import { reached, type Step, waiting } from '../../port/peering.ts'
import { unreachableBecause } from '../liqo/foreign-cluster.ts'
import { type Identity, identity, isUsable } from '../liqo/identity.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import type { OwnLiqo } from '../liqo/own-liqo.ts'
import { NO_SUBNETS } from '../liqo/subnets.ts'
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
import { certificateRequest, peerSubject } from './certificate-request.ts'
import { certificateStep } from './certificate-step.ts'
import { grantProblem } from './grant-check.ts'
import { type PairState, type Place, TUNNEL_AGAIN_MS } from './pair-state.ts'
import { type Peers, placeOf } from './peers.ts'
import type { RequesterObjects } from './requester-objects.ts'

export type RequesterSide = ReturnType<typeof createRequesterSide>

type Ports = Readonly<{
  liqo: OwnLiqo
  objects: LiqoObjects
  own: RequesterObjects
  sessions: Pick<Sessions, 'find'>
  messages: Messages
  peers: Pick<Peers, 'of' | 'doubt' | 'pin'>
  networks: Pick<Networks, 'for'>
  networking: PeeringNetworking
  clock: Pick<Clock, 'now'>
}>

type Hand = Readonly<{ session: PeeringSession; peer: string; challenge: string }>
type Answered = Readonly<{ nonce: Bodies['nonce']; namespace: string }>

/**
 * The requester's half of the handshake. Reads the session and the objects here, and does the
 * next thing. What this process or an earlier one did before is found, and not repeated.
 * ```
 *   hello ─► nonce ─► signed by Liqo ─► tenant ─► grant ─► Identity ─► (network) ─► ready
 * ```
 */
export function createRequesterSide(ports: Ports) {
  const { liqo, objects, own, sessions, messages, peers } = ports

  return { advance }

  async function advance(peer: string): Promise<PairState> {
    const session = sessions.find({ role: 'requester', peer })
    const standing = session?.state === 'established' && (await standingOf(peer, session))
    if (standing) return standing
    if (session?.state !== 'open' || session.networking !== ports.networking) return begin(peer)
    const hello = await messages.read(session, 'hello')
    // Too old, so that no answer to it proves anything.
    if (hello.kind === 'nothing' || (hello.kind === 'refused' && hello.reason === 'Expired'))
      return begin(peer)
    if (hello.kind === 'refused')
      return {
        steps: [waiting('PeeringRequested', hello.reason, `Our own hello: ${hello.message}`)],
      }
    return shake({ session, peer, challenge: hello.body.challenge })
  }

  async function standingOf(peer: string, session: PeeringSession) {
    const ready = joined(peer)
    const network = ports.networks.for(session.networking)
    // A tunnel too many does no harm; one that was not asked for then would never come.
    const hasAsked = session.networking === 'wireguard' || ports.networking === 'none'
    if (!ready || !hasAsked || !(await network.isThere(ready))) return undefined
    await own.readdress(ready.namespace, ready.liqoId)
    const { step, againAfterMs } = certified(ready)
    return {
      steps: [REQUESTED, LIQO_TENANT, step, ...network.standing(ready)],
      ready,
      againAfterMs,
    }
  }

  function certified({ namespace, liqoId }: Place) {
    const known = objects.identity(namespace, liqoId)
    return certificateStep(known?.spec?.authParams, ports.clock.now())
  }

  /** What an earlier handshake has led to, as far as it is still here. */
  function joined(peer: string): PairState['ready'] {
    const place = placeOf(ports, peer)
    return place && own.hasIdentity(place.namespace, place.liqoId) ? place : undefined
  }

  async function begin(peer: string): Promise<PairState> {
    const { networking } = ports
    const subnets = await ports.networks.for(networking).subnets()
    if (networking === 'wireguard' && !subnets) return WITHOUT_SUBNETS
    const { liqoId, version } = await liqo.facts()
    const hello = {
      liqoID: liqoId,
      challenge: randomText(),
      ...given({ liqoVersion: version, subnets }),
    }
    const session = await messages.open(
      { id: `ps-${randomText()}`, providerID: peer, networking },
      hello,
    )
    return stuckAt(awaitedOf('TenantReady', peer, session))
  }

  async function shake(hand: Hand): Promise<PairState> {
    const { session, peer } = hand
    const answered = await answer(hand)
    if ('stop' in answered) return stop(session, answered)
    const { nonce, namespace } = answered
    const place = { liqoId: nonce.liqoID, namespace }
    const network = ports.networks.for(session.networking)
    // Both go as far as they can each time: the gateway starts while Liqo signs.
    const apart = await network.join(session, {
      ...place,
      peer,
      challenge: hand.challenge,
      echo: nonce.challenge,
      isBuilder: isBuilder(session, sessions, { role: 'requester', peer }),
    })
    const refused = await certify(hand, answered)
    if (refused) return stop(session, refused)
    if (apart) return stop(session, apart)
    await messages.post(session, 'ready', { echo: nonce.challenge })
    const { step, againAfterMs } = certified(place)
    return {
      steps: [REQUESTED, LIQO_TENANT, step, ...network.standing(place)],
      ready: place,
      againAfterMs,
    }
  }

  /** From the provider's nonce to our signature under it. */
  async function answer({ session, peer, challenge }: Hand): Promise<Answered | Stop> {
    const type = 'TenantReady'
    const awaited = awaitedOf(type, peer, session)
    const said = heardOr(await messages.read(session, 'nonce'), { type, challenge, awaited })
    if ('stop' in said) return said
    const { body: nonce } = said
    const claim = { liqoID: nonce.liqoID, publicKey: nonce.liqoPublicKey }
    const stranger = own.stranger(peer, nonce.liqoID)
    if (stranger) return { stop: waiting(type, 'LiqoIdClaimed', claimedOf(stranger, peer)) }
    const doubt = peers.doubt(peer, claim)
    if (doubt) return { stop: waiting(type, doubt.reason, doubt.message) }
    await peers.pin(peer, claim)
    const namespace = await own.namespace({ peer, liqoId: nonce.liqoID })
    if (namespace === undefined) return { stop: waiting(type, 'NamespaceTerminating', TERMINATING) }
    const told = await messages.read(session, 'tenant')
    if (told.kind === 'genuine' && told.body.echo === nonce.challenge) return { nonce, namespace }
    const signature = await own.signature(nonce, { namespace, peer })
    if (signature === undefined) return { stop: waiting(type, 'WaitingForLiqo', SIGNING) }
    await present(session, nonce, signature)
    return { nonce, namespace }
  }

  async function present(session: PeeringSession, nonce: Bodies['nonce'], signature: string) {
    const [{ liqoId: clusterID }, keys] = await Promise.all([liqo.facts(), liqo.keys()])
    const csr = certificateRequest(keys.privateKey, peerSubject(clusterID))
    const { publicKey } = keys
    await messages.post(session, 'tenant', {
      echo: nonce.challenge,
      clusterID,
      publicKey,
      csr,
      signature,
    })
  }

  /** From the provider's grant to an Identity that Liqo uses. */
  async function certify(hand: Hand, { nonce, namespace }: Answered): Promise<Stop | undefined> {
    const { session, peer, challenge } = hand
    const [type, awaited] = ['IdentityReady', awaitedOf('TenantReady', peer, session)] as const
    const said = heardOr(await messages.read(session, 'grant'), { type, challenge, awaited })
    if ('stop' in said) return said
    const { authParams, tenantNamespace: remoteNamespace } = said.body
    const flaw = grantProblem(authParams, (await liqo.keys()).publicKey)
    if (flaw) return { stop: waiting(type, flaw.reason, flaw.message) }
    const { liqoID: liqoId } = nonce
    await own.welcomeBack(liqoId)
    const wanted = identity({ namespace, peer, liqoId, authParams, remoteNamespace })
    if (!isUsable(await own.identity(wanted)))
      return { stop: waiting(type, 'WaitingForLiqo', WRITING) }
    const known = objects.foreignCluster(liqoId)
    const because = known && unreachableBecause(known)
    return because === undefined
      ? undefined
      : { stop: waiting(type, 'ApiServerUnreachable', because) }
  }

  async function stop(session: PeeringSession, { stop: step, againAfterMs }: Stop) {
    const { reason = 'Stuck', message = '' } = step
    if (isWorthTelling(step, session)) await messages.complain(session, { reason, message })
    const laterMs = step.type === 'NetworkReady' ? TUNNEL_AGAIN_MS : undefined
    return { ...stuckAt(step), againAfterMs: againAfterMs ?? laterMs }
  }
}

/** It would be pointed to another API server, and what goes to its cluster would go there. */
function claimedOf({ metadata, spec }: Identity, peer: string): string {
  const { namespace, name } = metadata
  return (
    `${peer} claims the Liqo id ${spec?.clusterID}, for which Identity ${namespace}/${name} ` +
    `exists, which is not ours. If that is ${peer}, un-peer by hand first: liqoctl unpeer.`
  )
}

const SIGNING = "Liqo here is signing the provider's nonce"
const WRITING = 'Liqo here is writing the kubeconfig for the grant'
const TERMINATING = 'The tenant namespace is being deleted; a new one follows'

const REQUESTED = reached('PeeringRequested', 'Requested', 'The provider was asked for a peering')
const LIQO_TENANT = reached(
  'TenantReady',
  'Granted',
  "The provider has certified this cluster's key",
)
const IDENTITY = reached('IdentityReady', 'Certified', "Liqo has access to the provider's cluster")
const READY: readonly Step[] = [REQUESTED, LIQO_TENANT, IDENTITY]

/** Nothing is asked for before it is known what to say: a gateway there would have no way back. */
const WITHOUT_SUBNETS: PairState = {
  steps: [waiting('PeeringRequested', 'NoSubnets', NO_SUBNETS)],
  againAfterMs: TUNNEL_AGAIN_MS,
}

function stuckAt(step: Step): PairState {
  const at = READY.findIndex(({ type }) => type === step.type)
  return { steps: [...(at < 0 ? READY : READY.slice(0, at)), step] }
}

/** 26 characters of base32, in lower case: 130 bits. */
function randomText(): string {
  return Array.from(randomBytes(26), (byte) => BASE32[byte & 31]).join('')
}
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
