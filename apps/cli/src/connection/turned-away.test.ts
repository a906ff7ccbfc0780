import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { expect, it } from 'vitest'
import { typed } from '../../fixtures/typed.ts'

const { play, rome } = useScriptedBrokers()

it('a broker that hangs up in the middle is not taken for one that refuses us', async () => {
  const { url } = await play('hang up')

  const { code, err } = await typed(['audit'], { BOURSE_BROKER_URL: url, BOURSE_CERT_PATH: rome() })

  expect(code).toBe(6)
  expect(err).toContain('Check --broker-url, and that the broker runs.')
})
