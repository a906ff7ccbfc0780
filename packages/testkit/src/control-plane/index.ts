/**
 * A real Kubernetes control plane of processes on loopback: etcd, kube-apiserver, and on request
 * controllers, scheduler and kwok, which plays the kubelets. Start with `startControlPlane`; tests
 * use `useControlPlane` (`@bourse/testkit/use-control-plane`). `make tools` builds the programs.
 */
export type { Part } from '../processes/part.ts'
export * from './agent-rights.ts'
export * from './bourse-kinds.ts'
export * from './builders.ts'
export type { Identity } from './cluster-authority.ts'
export * from './cluster-rights.ts'
export * from './control-plane.ts'
export type { Kubectl } from './kubectl.ts'
export { findTools } from './kubernetes-tools.ts'
export * from './loose-kind.ts'
export * from './writes-seen.ts'
