export {
  type KubernetesInterface,
  openKubernetesInterface,
} from './open-kubernetes-interface.ts'
