import { eventually } from '@bourse/testkit'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { expect, it, onTestFinished } from 'vitest'
import { createTwoClusters } from '../../../fixtures/peering/native/fake/two-clusters.ts'
import { NODE } from '../../kubernetes/kinds.ts'
import type { BorrowedReservation } from '../port/peering.ts'
import type { Identity } from './liqo/identity.ts'
import { LIQO } from './liqo/liqo-kinds.ts'

const certificates = useCertificates()

const reservation: BorrowedReservation = { id: 'rsv-1', provider: 'paris', resources: { cpu: '2' } }

it("keeps the provider's address when Liqo renews the certificate, without a new handshake", async () => {
  const apiServerUrl = 'https://gate.paris.example:443'
  const both = await createTwoClusters({ issue: certificates().forCluster, apiServerUrl })
  onTestFinished(both.stop)
  await Promise.all([both.live('rome'), both.live('paris')])
  both.reserve(reservation)
  await both.borrow(reservation)
  const params = () => both.rome.all<Identity>(LIQO.identity)[0]?.spec?.authParams
  const [first, sessions] = [params()?.signedCRT, both.desk.sessions()]
  expect(params()?.apiServer).toBe(apiServerUrl)

  await both.renew('rome-liqo')
  await eventually('the certificate is another', () => params()?.signedCRT !== first)

  await eventually('the address is the one before', () => params()?.apiServer === apiServerUrl)
  expect(both.desk.sessions()).toEqual(sessions)
  expect(both.rome.all(NODE).map(({ metadata }) => metadata.name)).toEqual(['res-rsv-1'])
})
