export {
  createKubeClient,
  DEFAULT_TIMEOUTS,
  type KubeClientOptions,
} from './client/create-kube-client.ts'
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
export type { Connection, Credentials, TlsMaterial } from './connection/connection.ts'
export { ConnectionRefused } from './connection/connection-refused.ts'
export { type FixedCredentials, fixedConnection } from './connection/create-connection.ts'
export { type LoadOptions, loadConnection } from './connection/load-connection.ts'
export type {
  Controller,
  ControllerOptions,
  Next,
  Shown,
  StatusWriting,
  Turn,
} from './controller/controller.ts'
export * from './errors.ts'
export type {
  EventNote,
  EventRecorder,
  EventRecorderOptions,
  ObjectReference,
} from './events/event-recorder.ts'
export type {
  Holder,
  LeaderLease,
  LeaderLeaseOptions,
  LostWhy,
  Term,
} from './lease/leader-lease.ts'
export * from './objects.ts'
export { type Backoff, type Patience, systemPatience } from './patience.ts'
export type { Again, WorkQueue, WorkQueueOptions } from './queue/work-queue.ts'
export {
  createReflector,
  type Listener,
  type Reflector,
  type ReflectorOptions,
} from './reflector/reflector.ts'
