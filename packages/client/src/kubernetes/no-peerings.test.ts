import { expect, it } from 'vitest'
import { noPeerings } from './no-peerings.ts'

const refusal = {
  name: 'BrokerRefused',
  code: 'Unsupported',
  message: expect.stringContaining('use --broker-transport=http, grpc or mqtt'),
}

it('says which transports carry peerings', async () => {
  const { signal } = new AbortController()
  const opened = { id: 'ps-1', providerID: 'paris', networking: 'none', hello: 'x' } as const

  const opening = noPeerings.openPeering(opened)
  const watching = noPeerings.watchPeerings({ signal })[Symbol.asyncIterator]().next()

  await expect(opening).rejects.toMatchObject(refusal)
  await expect(watching).rejects.toMatchObject(refusal)
})
