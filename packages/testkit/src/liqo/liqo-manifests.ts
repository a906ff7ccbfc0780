import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import { askTool } from '../processes/programs.ts'
import { runProgram } from '../processes/run-program.ts'

export type LiqoSettings = Readonly<{
  clusterId: string
  apiServerUrl: string
  apiServerCa: string
  /** Where the webhook listens, and the authority that signed its certificate. */
  webhookUrl: string
  webhookCa: string
  networking?: LiqoNetworking | undefined
}>

/** What is behind the cluster's gateways, as Liqo's IPAM would have it. */
export type LiqoNetworking = Readonly<{ podCIDR: string; externalCIDR: string }>

type Webhook = { clientConfig: { service?: { path?: string }; url?: string; caBundle?: string } }
type Manifest = { kind?: string; webhooks?: Webhook[] }

/** Useless without pods: we start the processes, and there is no network to filter. */
const WITHOUT_PODS = ['APIService', 'DaemonSet', 'Deployment', 'FirewallConfiguration', 'Job']
/** From its own Secret the webhook would read a certificate that it does not serve. */
const LEFT_OUT = new Set([...WITHOUT_PODS, 'Secret'])

let chart: string | undefined
/** Asking takes as long as starting Go does. */
function chartDir(): string {
  chart ??= askTool('build-liqo', '--chart')
  return chart
}

export const liqoDefinitions = (): string => join(chartDir(), 'charts', 'liqo-crds', 'crds')

/** What the chart of a real installation makes, for controllers that run beside the cluster. */
export async function renderLiqo(
  settings: LiqoSettings,
): Promise<Readonly<{ objects: string; webhooks: string }>> {
  const documents = parseAllDocuments(await template(settings))
    .map((one): Manifest => one.toJS() ?? {})
    .filter(({ kind }) => kind !== undefined && !LEFT_OUT.has(kind))
    .filter(({ kind }) => kind !== 'Network' || settings.networking)
  const isWebhook = ({ webhooks }: Manifest) => webhooks !== undefined
  return {
    objects: asYaml(documents.filter((one) => !isWebhook(one))),
    webhooks: asYaml(documents.filter(isWebhook).map((one) => pointTo(one, settings))),
  }
}

function template(settings: LiqoSettings): Promise<string> {
  const { clusterId, apiServerUrl, apiServerCa, networking } = settings
  const helm = askTool('install-helm', '--where')
  const values = [
    `networking.enabled=${networking !== undefined}`,
    ...(networking ? ipamOf(networking) : []),
    // Its networking looks for the Service of the proxy.
    `proxy.enabled=${networking !== undefined}`,
    'telemetry.enabled=false',
    'storage.enable=false',
    `discovery.config.clusterID=${clusterId}`,
    `apiServer.address=${apiServerUrl}`,
    `apiServer.ca=${base64(apiServerCa)}`,
    'tag=v1.2.0',
  ]
  const flags = values.map((value) => `--set=${value}`)
  return runProgram([helm, 'template', 'liqo', chartDir(), '--namespace=liqo', ...flags])
}

function ipamOf({ podCIDR, externalCIDR }: LiqoNetworking): string[] {
  const services = 'ipam.serviceCIDR=10.96.0.0/16'
  return [`ipam.podCIDR=${podCIDR}`, `ipam.externalCIDR=${externalCIDR}`, services]
}

/** There is no Service without pods: the API server calls the webhook's process directly. */
function pointTo(manifest: Manifest, { webhookUrl, webhookCa }: LiqoSettings): Manifest {
  const webhooks = manifest.webhooks?.map(({ clientConfig, ...rest }) => ({
    ...rest,
    clientConfig: {
      url: `${webhookUrl}${clientConfig.service?.path ?? ''}`,
      caBundle: base64(webhookCa),
    },
  }))
  return { ...manifest, ...(webhooks && { webhooks }) }
}

function asYaml(manifests: readonly Manifest[]): string {
  return manifests.map((one) => stringify(one)).join('---\n')
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
