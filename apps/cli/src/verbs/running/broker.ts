import { adviseOnTakenPort, brokerFlags, readBrokerConfig } from '@bourse/broker/config'
import { examples } from '../../terminal/verb.ts'
import { daemonVerb } from './daemon-verb.ts'

export const takeover = daemonVerb({
  name: 'broker',
  flags: brokerFlags,
  introduction: `Usage: bourse broker --http-cert-path=DIR [flags]

Runs the broker. Every flag is also an environment variable (in brackets) and a key of the
config file; a flag wins over the variable, the variable over the file.`,
  examples: examples(
    'bourse broker --http-cert-path=./pki/broker --data-dir=./data',
    'bourse broker --broker-interface=http --http-port=8443 --http-cert-path=/etc/bourse/certs',
    'bourse broker --config=/etc/bourse/broker.yaml --log-format=pretty',
  ),
  read: readBrokerConfig,
  async run(config, signal) {
    const { runBroker } = await import('@bourse/broker')
    return runBroker(config, { signal }).then(undefined, (fault: unknown) => {
      throw adviseOnTakenPort(fault, config)
    })
  },
})
