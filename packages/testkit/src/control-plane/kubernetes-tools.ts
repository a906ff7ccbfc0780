import { askTool, findPrograms } from '../processes/programs.ts'

export type Tool =
  | 'etcd'
  | 'kube-apiserver'
  | 'kubectl'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kwok'

export const findTools = () => findPrograms<Tool>('build-kubernetes')

export const toolsDir = () => askTool('build-kubernetes', '--where')
