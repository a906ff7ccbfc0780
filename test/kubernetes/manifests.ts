type Spec = Readonly<Record<string, unknown>>

const broker = 'broker.fluidos.eu/v1alpha1'

/** A field that is given as undefined is left out. */
export function aReservation(name: string, spec: Spec = {}) {
  const usual = { requesterID: 'rome', requestedResources: { cpu: '2', memory: '4Gi' } }
  return manifest(broker, 'Reservation', name, { ...usual, priority: 10, ...spec })
}

export function aClusterAdvertisement(name: string, spec: Spec = {}) {
  const resources = { capacity: { cpu: '10', memory: '32Gi' } }
  return manifest(broker, 'ClusterAdvertisement', name, { clusterID: 'paris', resources, ...spec })
}

export function aResourceRequest(name: string, spec: Spec = {}) {
  return manifest('liqo.io/v1alpha1', 'ResourceRequest', name, { cpu: 1, memory: '1Gi', ...spec })
}

function manifest(apiVersion: string, kind: string, name: string, spec: Spec) {
  return { apiVersion, kind, metadata: { name }, spec }
}
