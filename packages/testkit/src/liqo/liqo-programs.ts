import { findPrograms } from '../processes/programs.ts'

export type LiqoProgram =
  | 'liqo-controller-manager'
  | 'crd-replicator'
  | 'webhook'
  | 'virtual-kubelet'
  | 'liqoctl'

export const findLiqo = () => findPrograms<LiqoProgram>('build-liqo')
