/**
 * A client of the Kubernetes API server, and what controllers are built from.
 *
 * - `connection/`: where the server is, with which credentials (kubeconfig, pod, exec plug-in).
 * - `client/`: typed calls with retries, lists in pages, watches. Every failure is a `KubeError`.
 * - `reflector/`: a live copy of a list. `queue/`: keys with backoff. `controller/`: both together.
 * - `lease/`: leader election by a Lease. `events/`: Kubernetes Events. `time/`: clock and backoff.
 *
 * Start with `loadConnection`, `createKubeClient` and `createReflector`; then `createController`.
 */
export * from './client/create-kube-client.ts'
export * from './client/errors.ts'
export type * from './client/kube-client.ts'
export * from './connection/connection.ts'
export * from './connection/load-connection.ts'
export * from './controller/controller.ts'
export * from './controller/finalizers.ts'
export { isSameJson } from './controller/merge-patch.ts'
export * from './events/event-recorder.ts'
export * from './lease/leader-lease.ts'
export * from './objects/conditions.ts'
export * from './objects/kinds.ts'
export * from './objects/objects.ts'
export * from './queue/work-queue.ts'
export * from './reflector/reflector.ts'
export * from './time/clock.ts'
