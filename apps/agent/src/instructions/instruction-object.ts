import type {
  Offload,
  ProviderInstructionSpec,
  ReservationInstructionSpec,
} from '@bourse/contract/kinds'
import { given } from '@bourse/daemon/given'
import { printResources } from '@bourse/domain/quantity'
import type { Condition, Kind, KubeObject, ObjectMeta } from '@bourse/kube'
import { PROVIDER_INSTRUCTION, RESERVATION_INSTRUCTION } from '../kubernetes/kinds.ts'
import type { Entry } from './entries.ts'
import { amountsIn, type Role, spokenAmounts, type Terms } from './terms.ts'

export type InstructionSpec = ProviderInstructionSpec & ReservationInstructionSpec
export type InstructionStatus = Readonly<{
  delivered?: boolean
  enforced?: boolean
  conditions?: readonly Condition[]
  observedGeneration?: number
}>
export type InstructionObject = KubeObject<InstructionSpec, InstructionStatus>

/** On each instruction: its ledger and the ledger's index (decision 0015). */
const LEDGER_ANNOTATION = 'bourse.dev/ledger'
const INDEX_ANNOTATION = 'bourse.dev/ledger-index'
/** And the ledger's proof of that index (decision 0029). */
const PROOF_ANNOTATION = 'bourse.dev/ledger-proof'
/** On an instruction of a ResourceRequest: namespace/name/uid of the request. */
const REQUEST_ANNOTATION = 'bourse.dev/request'
/** On an instruction that its request gave up: it only remains to be released. */
const WITHDRAWN_ANNOTATION = 'bourse.dev/withdrawn'
/** The value for a broker that names no ledger. */
const UNNAMED = 'unnamed'

export const kindOf: Readonly<Record<Role, Kind>> = {
  provider: PROVIDER_INSTRUCTION,
  requester: RESERVATION_INSTRUCTION,
}

const PROVIDER_SUFFIX = '-provider'

export function nameOf(id: string, role: Role): string {
  return role === 'provider' ? `${id}${PROVIDER_SUFFIX}` : id
}

/** The reservation that an object is about, by its name: its spec may have been edited. */
export function idOf(name: string, role: Role): string | undefined {
  if (role === 'requester') return name
  return name.endsWith(PROVIDER_SUFFIX) ? name.slice(0, -PROVIDER_SUFFIX.length) : undefined
}

export function specOf({ id, party, endpoint, amounts, expiresAt }: Terms, role: Role) {
  const { cpu, memory, 'nvidia.com/gpu': gpu } = amounts
  const said = spokenAmounts(amounts)
  const who =
    role === 'provider'
      ? { requesterClusterID: party, message: `Hold ${said} for ${party}` }
      : {
          targetClusterID: party,
          ...given({ targetClusterEndpoint: endpoint }),
          message: `Use ${party} for ${said}`,
        }
  return {
    reservationName: id,
    ...given({ requestedCPU: cpu, requestedMemory: memory, requestedGPU: gpu }),
    requestedResources: amounts,
    ...who,
    ...given({ expiresAt }),
  } satisfies InstructionSpec
}

export function stampOf({ ledgerId = UNNAMED, index, proof }: Entry): Record<string, string> {
  return {
    [LEDGER_ANNOTATION]: ledgerId,
    ...(index !== undefined && { [INDEX_ANNOTATION]: `${index}` }),
    ...(proof !== undefined && { [PROOF_ANNOTATION]: proof }),
  }
}

/** The ResourceRequest that an instruction is for. */
export type RequestRef = Readonly<{ namespace: string; name: string; uid: string }>

/** What an instruction takes from its request; unknown to the broker. */
export type Request = RequestRef &
  Readonly<{
    offload?: Offload | undefined
    /** It is being deleted. */
    isLeaving: boolean
  }>

export function requestAnnotation({ namespace, name, uid }: RequestRef): Record<string, string> {
  return { [REQUEST_ANNOTATION]: `${namespace}/${name}/${uid}` }
}

export function requestRefIn({
  annotations,
}: Pick<ObjectMeta, 'annotations'>): RequestRef | undefined {
  const [namespace, name, uid] = annotations?.[REQUEST_ANNOTATION]?.split('/') ?? []
  return namespace && name && uid ? { namespace, name, uid } : undefined
}

export const WITHDRAWN = { [WITHDRAWN_ANNOTATION]: 'true' } as const

export function isWithdrawn({ annotations }: Pick<ObjectMeta, 'annotations'>): boolean {
  return annotations?.[WITHDRAWN_ANNOTATION] !== undefined
}

export function withoutWithdrawn(annotations: ObjectMeta['annotations'] = {}) {
  const { [WITHDRAWN_ANNOTATION]: _, ...others } = annotations
  return others
}

/** Whether an agent wrote it for a broker; any other was made by hand. */
export function isStamped({ annotations }: Pick<ObjectMeta, 'annotations'>): boolean {
  return annotations?.[LEDGER_ANNOTATION] !== undefined
}

/** The entry in this object; undefined if it was made by hand. */
export function entryIn({ metadata, spec = {} }: InstructionObject, role: Role): Entry | undefined {
  const id = idOf(metadata.name, role)
  const ledger = metadata.annotations?.[LEDGER_ANNOTATION]
  if (id === undefined || ledger === undefined) return undefined
  const index = Number(metadata.annotations?.[INDEX_ANNOTATION])
  return {
    terms: {
      id,
      party: (role === 'provider' ? spec.requesterClusterID : spec.targetClusterID) ?? '',
      endpoint: spec.targetClusterEndpoint,
      amounts: printResources(amountsIn(spec.requestedResources ?? {})),
      expiresAt: spec.expiresAt,
    },
    isGranted: true,
    ledgerId: ledger === UNNAMED ? undefined : ledger,
    index: Number.isSafeInteger(index) ? index : undefined,
    proof: metadata.annotations?.[PROOF_ANNOTATION],
  }
}
