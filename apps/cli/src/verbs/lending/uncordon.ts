import { changeCluster } from './change-cluster.ts'

export const define = changeCluster('uncordon')
