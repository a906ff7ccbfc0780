export {
  type KubernetesInterface,
  OtherLedger,
  openKubernetesInterface,
} from './open-kubernetes-interface.ts'
