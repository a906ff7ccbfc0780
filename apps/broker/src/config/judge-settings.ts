import { type BindAddress, splitList } from '@bourse/daemon/settings'
import type { Written } from './broker-flags.ts'

export type Interfaces = NonNullable<Written['brokerInterface']>

/** Whether settings that are valid alone make sense together. */
export function judge(
  written: Written,
  sources: Readonly<Record<keyof Written, string>>,
): { problems: string[]; notes: string[] } {
  const problems: string[] = []
  const notes: string[] = []
  for (const name of ['http', 'grpc'] as const)
    if (hasInterface(written, name) && written.httpCertPath === undefined)
      problems.push(noCertificates(name))
  if (hasInterface(written, 'mqtt')) judgeMqtt(written, problems)
  if (!hasInterface(written, 'http') && written.metricsSecure) problems.push(NO_METRICS_CERTIFICATE)
  if (!hasInterface(written, 'kubernetes') && written.adopt)
    notes.push('--adopt has no effect without the kubernetes interface.')
  judgeStore(written, problems, notes)
  if (sources.kubeconfig !== 'default' && !needsKubernetes(written))
    notes.push('--kubeconfig has no effect without a kubernetes interface, store, lease or anchor.')
  if (written.rates?.kind === 'rates' && written.rates.rates.has(written.currency))
    problems.push(
      `--rates names ${written.currency}, which is the --currency itself: leave it out.`,
    )
  if ((written.defaultDuration ?? 0) > written.maxDuration)
    problems.push('--default-duration is longer than --max-duration: make it shorter.')
  if (needsToken(written.dashboardBindAddress) && !written.dashboardTokenFile)
    problems.push(DASHBOARD_NEEDS_TOKEN)
  return { problems, notes }
}

function judgeMqtt({ mqttUrl, mqttCertPath, httpCertPath }: Written, problems: string[]): void {
  const urls = splitList(mqttUrl ?? '')
  if (urls.length === 0 || !urls.every((url) => URL.parse(url)?.protocol === 'mqtts:'))
    problems.push('--broker-interface=mqtt needs --mqtt-url=mqtts://HOST:PORT of an MQTT 5 server.')
  if (mqttCertPath === undefined && httpCertPath === undefined)
    problems.push(
      '--broker-interface=mqtt needs --mqtt-cert-path=DIR with a client certificate for that server.',
    )
}

function judgeStore(written: Written, problems: string[], notes: string[]): void {
  const store = storeOf(written)
  if (store === 'postgres' && written.postgresUrl === undefined)
    problems.push('--store=postgres needs --postgres-url=URL, or BOURSE_POSTGRES_URL.')
  if (store === 'sqlite' && written.leaderElect)
    notes.push('--leader-elect has no effect with --store=sqlite: one broker owns the directory.')
  if (store !== 'sqlite' && !written.leaderElect)
    notes.push(`Without --leader-elect, run one broker only on this ${store} store.`)
  if (store === 'kubernetes' && isInConfigMap(written)) notes.push(ANCHOR_BESIDE_STORE)
  if (written.leaseDuration % 1_000 !== 0)
    problems.push('--lease-duration must be whole seconds: a Lease has no smaller unit.')
  if (written.leaseRenew >= written.leaseDuration || written.leaseRetry >= written.leaseRenew)
    problems.push('--lease-retry must be below --lease-renew, and that below --lease-duration.')
}

/** contract: sqlite without the kubernetes interface, else kubernetes. */
export function storeOf(written: Written): NonNullable<Written['store']> {
  return written.store ?? (hasInterface(written, 'kubernetes') ? 'kubernetes' : 'sqlite')
}

export function hasInterface({ brokerInterface = [] }: Written, name: Interfaces[number]): boolean {
  return brokerInterface.includes(name)
}

export function isElected(written: Written): boolean {
  return written.leaderElect && storeOf(written) !== 'sqlite'
}

export function needsKubernetes(written: Written): boolean {
  const isStoreOrAnchor = storeOf(written) === 'kubernetes' || isInConfigMap(written)
  return isStoreOrAnchor || isElected(written) || hasInterface(written, 'kubernetes')
}

function isInConfigMap({ anchor }: Written): boolean {
  return anchor?.kind === 'configmap'
}

function noCertificates(name: string): string {
  return (
    `--broker-interface=${name} needs --http-cert-path=DIR with tls.crt, tls.key and ca.crt. ` +
    '`bourse ca init` and `bourse ca issue broker --server` make such a directory.'
  )
}
const ANCHOR_BESIDE_STORE =
  'The ConfigMap of --anchor is kept by the same API server as the store: a backup of etcd that ' +
  'is restored contains both. Choose a file on a volume, or rely on the proofs of callers.'
const NO_METRICS_CERTIFICATE =
  "--metrics-secure serves the REST API's certificate: open that interface with --http-cert-path=DIR."
const DASHBOARD_NEEDS_TOKEN =
  '--dashboard-bind-address is not on loopback: give --dashboard-token-file=FILE, or use ' +
  '127.0.0.1:PORT, or 0 for off.'

function needsToken(address: BindAddress | 'off'): boolean {
  if (address === 'off') return false
  return !/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(address.host ?? '')
}
