import { readFileSync } from 'node:fs'
import { createPart, type Part } from '../processes/part.ts'
import { isUpOverTls } from '../processes/probe.ts'
import type { ClusterAuthority } from './cluster-authority.ts'

type Options = Readonly<{
  binary: string
  dataDir: string
  port: number
  peerPort: number
  authority: ClusterAuthority
}>

/** For large Go programs: there is memory enough, and collecting it takes half of their time. */
export const SELDOM_COLLECTED = { GOGC: '400' }

/** A single member, with every write flushed to disk as in production. */
export function createEtcd({ binary, dataDir, port, peerPort, authority }: Options): Part {
  const url = `https://127.0.0.1:${port}`
  const peerUrl = `http://127.0.0.1:${peerPort}`
  const { caFile, server, etcdClient } = authority
  const client = {
    certificate: readFileSync(etcdClient.certificate, 'utf8'),
    key: readFileSync(etcdClient.key, 'utf8'),
  }
  return createPart({
    name: 'etcd',
    command: [
      binary,
      `--data-dir=${dataDir}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--client-cert-auth',
      `--trusted-ca-file=${caFile}`,
      `--cert-file=${server.certificate}`,
      `--key-file=${server.key}`,
      // The only member need not wait for others: it leads a tenth of a second after its start.
      '--heartbeat-interval=20',
      '--election-timeout=100',
      '--log-level=warn',
    ],
    env: SELDOM_COLLECTED,
    isReady: () => isUpOverTls({ url: `${url}/health`, ca: authority.certificate, client }),
  })
}
