import type { openKubernetesInterface as Open } from './open-kubernetes-interface.ts'

/** All of this room is loaded by whoever opens it: a broker without objects has no use for it. */
export const openKubernetesInterface: typeof Open = async (ports, settings) => {
  const room = await import('./open-kubernetes-interface.ts')
  return room.openKubernetesInterface(ports, settings)
}
