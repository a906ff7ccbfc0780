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
export {
  createKubeClient,
  DEFAULT_TIMEOUTS,
  type KubeClientOptions,
} from './client/create-kube-client.ts'
export * from './client/errors.ts'
export type {
  Applied,
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  KubeClient,
  Listed,
  ListOptions,
  Page,
  PatchOptions,
  Selection,
  ServerTime,
  Timeouts,
  WatchOptions,
  WriteOptions,
} from './client/kube-client.ts'
export {
  type Connection,
  ConnectionRefused,
  type Credentials,
  type TlsMaterial,
} from './connection/connection.ts'
export { type FixedCredentials, fixedConnection } from './connection/create-connection.ts'
export { type LoadOptions, loadConnection } from './connection/load-connection.ts'
export {
  type Controller,
  type ControllerOptions,
  createController,
  type Next,
  type Shown,
  type StatusWriting,
  type Turn,
} from './controller/controller.ts'
export {
  addFinalizer,
  hasFinalizer,
  isBeingDeleted,
  removeFinalizer,
} from './controller/finalizers.ts'
export { isSameJson } from './controller/merge-patch.ts'
export {
  createEventRecorder,
  type EventNote,
  type EventRecorder,
  type EventRecorderOptions,
  type ObjectReference,
} from './events/event-recorder.ts'
export {
  CLOCK_OFF_MAX_MS,
  createLeaderLease,
  type Holder,
  type LeaderLease,
  type LeaderLeaseOptions,
  type LostWhy,
  type Term,
} from './lease/leader-lease.ts'
export { type Condition, carriedOver, conditionOf, isTrue } from './objects/conditions.ts'
export { EVENT, LEASE, microTime } from './objects/kinds.ts'
export * from './objects/objects.ts'
export {
  type Again,
  createWorkQueue,
  type WorkQueue,
  type WorkQueueOptions,
} from './queue/work-queue.ts'
export {
  createReflector,
  type Listener,
  type Reflector,
  type ReflectorOptions,
} from './reflector/reflector.ts'
export { type Backoff, backoffMs, type Clock, pause, systemClock } from './time/clock.ts'
