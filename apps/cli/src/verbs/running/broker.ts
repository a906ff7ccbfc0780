import { adviseOnTakenPort, brokerFlags, readBrokerConfig } from '@bourse/broker/config'
import { examples } from '../../terminal/verb.ts'
import { daemonVerb } from './daemon-verb.ts'

export const { define, run } = daemonVerb({
  name: 'broker',
  flags: brokerFlags,
  description: 'run the broker',
  examples: examples(
    'bourse broker --http-cert-path=./pki/broker --data-dir=./data',
    'bourse broker --broker-interface=http --http-port=8443 --http-cert-path=/etc/bourse/certs',
    'bourse broker --config=/etc/bourse/broker.yaml --log-format=pretty',
  ),
  read: readBrokerConfig,
  async run(config, signal) {
    const { runBroker } = await import('@bourse/broker')
    return runBroker(config, { signal }).catch((fault: unknown) => {
      throw adviseOnTakenPort(fault, config)
    })
  },
})
