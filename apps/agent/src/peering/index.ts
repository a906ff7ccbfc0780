export { createPeering } from './create-peering.ts'
export { sliceName } from './native/liqo/resource-slice.ts'
export { liqoIdHash, sliceUserOf } from './native/liqo/slice-user.ts'
export { createNoPeering } from './no-peering.ts'
