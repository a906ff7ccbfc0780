export { openKubernetesInterface } from './open-kubernetes-interface.ts'
