import type { openKubernetesInterface as Open } from './open-kubernetes-interface.ts'

/** Loaded on demand: a broker without objects does not need it. */
export const openKubernetesInterface: typeof Open = async (ports, settings) => {
  const loaded = await import('./open-kubernetes-interface.ts')
  return loaded.openKubernetesInterface(ports, settings)
}
