import { bourseKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { describe, expect, it } from 'vitest'
import { aReservation, aResourceRequest } from './manifests.ts'

const controlPlane = useControlPlane({ kinds: bourseKinds })
const kubectl = (args: readonly string[], manifest?: object) =>
  controlPlane().kubectl(args, manifest && JSON.stringify(manifest))

describe('a field that is not known', () => {
  const misspelt = [
    { kind: 'Reservation', manifest: aReservation('misspelt', { duratoin: '1h' }) },
    { kind: 'ResourceRequest', manifest: aResourceRequest('misspelt', { duratoin: '1h' }) },
  ]

  it.each(misspelt)('is refused by kubectl in a $kind', async ({ manifest }) => {
    const created = kubectl(['create', '--filename=-'], manifest)

    await expect(created).rejects.toThrow('unknown field "spec.duratoin"')
  })

  it.each(misspelt)('is dropped for who wants no validation of a $kind', async ({ manifest }) => {
    await kubectl(['create', '--validate=false', '--filename=-'], manifest)

    const seen = await kubectl(['get', manifest.kind, 'misspelt', '--output=json'])
    expect(JSON.parse(seen).spec).not.toHaveProperty('duratoin')
  })
})
