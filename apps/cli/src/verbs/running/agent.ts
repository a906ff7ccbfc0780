import { agentFlags, readAgentConfig } from '@bourse/agent/config'
import { examples } from '../../terminal/verb.ts'
import { daemonVerb } from './daemon-verb.ts'

export const { define, run } = daemonVerb({
  name: 'agent',
  flags: agentFlags,
  description:
    'run the agent of a cluster: it measures what the cluster has free, offers it to the broker, ' +
    'and carries out what is reserved',
  examples: examples(
    'bourse agent --broker-url=https://broker.example:8443 --broker-cert-path=./pki/rome',
    'bourse agent --broker-url=https://broker.example:8443 --broker-cert-path=./pki/rome --share=50%',
    'bourse agent --config=/etc/bourse/agent.yaml --log-format=pretty',
  ),
  read: readAgentConfig,
  async run(config, signal) {
    const { runAgent } = await import('@bourse/agent')
    return runAgent(config, { signal }).catch((fault: unknown) => {
      if (!signal.aborted) throw fault
      // Told to stop while it waited for its API server.
      return { done: Promise.resolve(), close: async () => {} }
    })
  },
})
