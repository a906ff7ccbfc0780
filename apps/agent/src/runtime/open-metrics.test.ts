import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { createConnections } from '@bourse/daemon/connections'
import { eventually } from '@bourse/testkit'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openMetrics } from './open-metrics.ts'

const metrics = { host: '127.0.0.1', port: 0 }
const registry = { contentType: 'text/plain', metrics: async () => 'agent_leader 1\n' }

const certificates = useCertificates()

const connections = createConnections()

describe('the metrics of an agent', () => {
  it('go over plain http unless told otherwise', async () => {
    const url = await opened({ metrics })

    expect(url).toMatch(/^http:/)
    expect(await (await fetch(`${portedUrl(url)}/metrics`)).text()).toBe('agent_leader 1\n')
  })

  it("go over TLS with the agent's own certificate, and with the one that replaces it", async () => {
    const metricsCertPath = await certificates().forCluster('rome')
    const url = await opened({ metrics, metricsCertPath })
    expect(await servedName(url)).toBe('rome')

    const name = 'rome-renewed'
    const fresh = await certificates().forLeaf(name, { commonName: name, usages: ['client'] })
    for (const file of ['tls.crt', 'tls.key'])
      copyFileSync(join(fresh, file), join(metricsCertPath, file))

    await eventually('the new one is served', async () => (await servedName(url)) === name)
  })

  it('are refused at start where there is no certificate to serve', async () => {
    await expect(
      openMetrics({ metrics, metricsCertPath: '/nowhere' }, registry, connections),
    ).rejects.toThrow('/nowhere/tls.crt cannot be read')
  })

  it('are off without an address', async () => {
    expect(await openMetrics({}, registry, connections)).toBeUndefined()
  })
})

async function opened(config: Parameters<typeof openMetrics>[0]): Promise<string> {
  const server = await openMetrics(config, registry, connections, 20)
  if (!server) throw new Error('The metrics are off.')
  onTestFinished(server.close)
  return server.url
}

const portedUrl = (url: string) => `http://127.0.0.1:${new URL(url).port}`

/** To whom the certificate that is served is made out. */
function servedName(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false }
    const socket = connect(to, () => {
      resolve(`${socket.getPeerCertificate().subject.CN}`)
      socket.destroy()
    })
    socket.once('error', reject)
  })
}
