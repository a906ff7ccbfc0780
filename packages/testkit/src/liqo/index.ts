export * from './liqo.ts'
export * from './liqo-cluster.ts'
export * from './liqo-look.ts'
export { type LiqoNetworking, liqoDefinitions } from './liqo-manifests.ts'
