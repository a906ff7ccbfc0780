export { type Liqo, type LiqoOptions, liqoctlPath, startLiqo } from './liqo.ts'
export {
  LIQO_NEEDS,
  type LiqoCluster,
  type LiqoClusterOptions,
  startLiqoCluster,
} from './liqo-cluster.ts'
export { type LiqoNetworking, liqoDefinitions } from './liqo-manifests.ts'
