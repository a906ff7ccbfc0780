export { createNoPeering, createPeering } from './create-peering.ts'
export { liqoIdHash, sliceName, sliceUserOf } from './native/liqo/resource-slice.ts'
