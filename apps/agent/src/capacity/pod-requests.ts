import type { Resources } from '@bourse/domain/quantity'
import { type AmountReader, type NoteProblem, roundedUp, type Thousandths } from './amounts.ts'
import type { Container, ContainerStatus, PodObject, Written } from './objects.ts'

/**
 * What the scheduler sets aside on a node for a pod, resource by resource:
 *
 *   max( Σ containers + Σ sidecars,
 *        max over init containers i of (request of i + Σ sidecars started before i) )
 *   replaced by the pod's own request where it has one, + overhead
 *
 * A sidecar is an init container that is restarted always. This follows `PodRequests` of
 * Kubernetes' component-helpers line by line; `pods` is the one slot that a pod takes.
 */
export function podRequests(pod: PodObject, reader: AmountReader, note: NoteProblem): Resources {
  const read = (written: Written | undefined) => reader(written, note)
  const total = containerRequests(pod, read)
  for (const [name, amount] of podLevelRequests(pod, read)) total.set(name, amount)
  add(total, read(pod.spec?.overhead))
  return { ...roundedUp(total), pods: 1n }
}

type Read = (written: Written | undefined) => Thousandths

function containerRequests(pod: PodObject, read: Read): Thousandths {
  const effective = effectiveRequests(pod, read)
  const total: Thousandths = new Map()
  for (const container of pod.spec?.containers ?? []) add(total, effective(container))

  const sidecars: Thousandths = new Map()
  const peak: Thousandths = new Map()
  for (const container of pod.spec?.initContainers ?? []) {
    const isSidecar = container.restartPolicy === 'Always'
    const requests = isSidecar ? effective(container) : read(container.resources?.requests)
    if (isSidecar) {
      add(total, requests)
      add(sidecars, requests)
      raise(peak, sidecars)
    } else {
      add(requests, sidecars)
      raise(peak, requests)
    }
  }
  raise(total, peak)
  for (const claim of pod.status?.nodeAllocatableResourceClaimStatuses ?? [])
    add(total, read(claim.resources))
  return total
}

/**
 * While a container is resized in place the scheduler counts the largest of what is asked for,
 * what the kubelet allocated and what runs: also a resize that is deferred may still come. One
 * that the kubelet called infeasible will not.
 */
function effectiveRequests(pod: PodObject, read: Read): (container: Container) => Thousandths {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  const statuses = new Map<string, ContainerStatus>()
  for (const status of containerStatuses) statuses.set(status.name, status)
  for (const status of initContainerStatuses) statuses.set(status.name, status)
  const isInfeasible = isResizeInfeasible(pod)

  return ({ name, resources }) => {
    const status = statuses.get(name)
    if (status?.resources === undefined) return read(resources?.requests)
    const requests = isInfeasible ? new Map() : read(resources?.requests)
    raise(requests, read(status.resources.requests))
    raise(requests, read(status.allocatedResources))
    return requests
  }
}

/** A pod's own requests stand for cpu, memory and huge pages; for the rest its containers' do. */
function podLevelRequests(pod: PodObject, read: Read): Thousandths {
  const asked = onlyPodLevel(read(pod.spec?.resources?.requests))
  const running = pod.status?.resources
  if (running === undefined) return asked
  const counted: Thousandths = isResizeInfeasible(pod) ? new Map() : new Map(asked)
  raise(counted, read(running.requests))
  raise(counted, read(pod.status?.allocatedResources))
  for (const name of asked.keys()) asked.set(name, counted.get(name) ?? 0n)
  return asked
}

function onlyPodLevel(requests: Thousandths): Thousandths {
  for (const name of requests.keys())
    if (name !== 'cpu' && name !== 'memory' && !name.startsWith('hugepages-')) requests.delete(name)
  return requests
}

function isResizeInfeasible(pod: PodObject): boolean {
  const pending = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending')
  return pending?.reason === 'Infeasible'
}

function add(total: Thousandths, more: Thousandths): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? 0n) + amount)
}

function raise(total: Thousandths, to: Thousandths): void {
  for (const [name, amount] of to) if (amount > (total.get(name) ?? -1n)) total.set(name, amount)
}
