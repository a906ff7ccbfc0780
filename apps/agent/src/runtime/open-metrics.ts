import { createCertificateFiles } from '@bourse/client'
import type { Connections } from '@bourse/daemon/connections'
import { type Metrics, startMetricsServer } from '@bourse/daemon/probes'
import type { AgentConfig } from '../config/index.ts'

type Config = Pick<AgentConfig, 'metrics' | 'metricsCertPath'>

const LOOK_EVERY_MS = 10_000

/** /metrics, over TLS if configured; follows a renewed certificate. */
export async function openMetrics(
  { metrics: bind, metricsCertPath }: Config,
  registry: Metrics,
  connections: Connections,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<Readonly<{ url: string; close(): Promise<void> }> | undefined> {
  if (!bind) return undefined
  if (metricsCertPath === undefined) {
    const { port, close } = await startMetricsServer(bind, registry, { connections })
    return { url: `http://localhost:${port}`, close }
  }
  const files = createCertificateFiles(metricsCertPath, Date.now)
  const server = await startMetricsServer(bind, registry, {
    tls: await files.current(),
    connections,
  })
  // After the first read it falls back on the last certificate, and never rejects.
  const looking = setInterval(() => void files.current().then(server.renew), lookEveryMs).unref()
  return {
    url: `https://localhost:${server.port}`,
    close() {
      clearInterval(looking)
      return server.close()
    },
  }
}
