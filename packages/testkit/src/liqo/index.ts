export { type Liqo, type LiqoOptions, liqoctlPath, startLiqo } from './liqo.ts'
export {
  type LiqoCluster,
  type LiqoClusterOptions,
  liqoNeeds,
  startLiqoCluster,
} from './liqo-cluster.ts'
export { isReady, type LiqoLook, lookAtLiqo, type Node } from './liqo-look.ts'
export { type LiqoNetworking, liqoDefinitions } from './liqo-manifests.ts'
