import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeObject } from '@bourse/kube'
import { eventually, repositoryRoot } from '@bourse/testkit'
import { type ControlPlane, grantAgentRights } from '@bourse/testkit/control-plane'
import { attemptsOnAuthority, certificateSigningRequest } from './attempts-on-authority.ts'
import { attemptsOnGuards } from './attempts-on-guards.ts'
import { attemptsOnLiqo } from './attempts-on-liqo.ts'
import { attemptsOnOthers } from './attempts-on-others.ts'
import { attemptsOnPods } from './attempts-on-pods.ts'
import { attemptsOnSecrets } from './attempts-on-secrets.ts'
import { type Attempt, type Call, type Caller, createCaller } from './caller.ts'
import { NAMESPACES, OWN, THINGS } from './scene.ts'

export const attempts: readonly Attempt[] = [
  ...[attemptsOnSecrets, attemptsOnAuthority, attemptsOnGuards],
  ...[attemptsOnOthers, attemptsOnPods, attemptsOnLiqo],
].flat()

type Extras = Parameters<typeof grantAgentRights> extends [unknown, ...infer Rest] ? Rest : never
export type Callers = Readonly<Record<'agent' | 'broker' | 'certificates' | 'admin', Caller>>

/** The roles and policies that the charts render, and the tokens that a kubelet hands to a pod. */
export async function setStage(
  plane: ControlPlane,
  { extras, policies }: Readonly<{ extras: Extras; policies: readonly string[] }>,
): Promise<Callers> {
  const { kubectl, url, caCertificate: ca } = plane
  await grantAgentRights(plane, ...extras)
  for (const folder of ['rbac', 'admission'])
    await kubectl([
      ...['apply', '--server-side'],
      `--kustomize=${join(repositoryRoot, 'config', folder)}`,
    ])
  for (const items of [NAMESPACES, [...THINGS, certificateSigningRequest('of-another')]])
    await make(plane, { apiVersion: 'v1', kind: 'List', items })
  const tokenOf = async (account: string) => {
    const bound = ['--bound-object-kind=Pod', `--bound-object-name=${account}-0`]
    return (await kubectl(['create', 'token', account, `--namespace=${OWN}`, ...bound])).trim()
  }
  const as = {
    agent: createCaller({ url, ca, token: await tokenOf('bourse-agent') }),
    broker: createCaller({ url, ca, token: await tokenOf('bourse-broker') }),
    certificates: createCaller({ url, ca, token: await tokenOf('bourse-broker-certificates') }),
    admin: createCaller({ url, ca, ...administrator(plane.adminKubeconfig) }),
  }
  await eventually('the policies are in force', () => areInForce(as, policies), 60_000)
  return as
}

/** Again while a namespace that was just made has no account yet that a pod could run as. */
async function make({ kubectl }: ControlPlane, list: object): Promise<void> {
  const apply = ['apply', '--server-side', '--force-conflicts', '--filename=-']
  const said = new Set<string>()
  const made = eventually('what is there', () =>
    kubectl(apply, JSON.stringify(list)).then(
      () => true,
      ({ message }: Error) => {
        said.add(message)
        return false
      },
    ),
  )
  await made.then(undefined, (thrown: Error) => {
    throw new Error([thrown.message, ...said].join('\n'))
  })
}

function administrator(kubeconfig: string) {
  const text = readFileSync(kubeconfig, 'utf8')
  const part = (name: string) =>
    Buffer.from(new RegExp(`${name}: (.+)`).exec(text)?.[1] ?? '', 'base64').toString()
  return { cert: part('client-certificate-data'), key: part('client-key-data') }
}

export const dry = (call: Call): Call => ({
  ...call,
  call: call.call.startsWith('GET')
    ? call.call
    : `${call.call}${call.call.includes('?') ? '&' : '?'}dryRun=All`,
})

/** With the version that is there: no server takes an update without. */
export async function current(call: Call, { admin }: Callers): Promise<Call> {
  if (!call.call.startsWith('PUT')) return call
  const { message } = await admin({ call: call.call.replace('PUT', 'GET') })
  const { resourceVersion } = (JSON.parse(message) as KubeObject).metadata
  const { metadata, ...rest } = call.body as KubeObject
  return { ...call, body: { ...rest, metadata: { ...metadata, resourceVersion } } }
}

export const isSuccess = (status: number) => status >= 200 && status < 300

/** Each policy has refused something that RBAC would have let pass. */
async function areInForce(as: Callers, policies: readonly string[]): Promise<boolean> {
  const probes = attempts.filter(({ tries }) => PROBES.includes(tries))
  const asked = probes.flatMap((probe) => [as.agent(dry(probe)), as.broker(dry(probe))])
  const refused = (await Promise.all(asked)).map(({ message }) => message).join()
  return policies.every((policy) => refused.includes(`'${policy}' with binding '${policy}' denied`))
}
const PROBES = [
  'makes a Secret of a handshake in shop',
  'makes a Lease mine beside its own',
  'deletes a node of the cluster',
  'makes a slice outside of a tenant namespace',
  'runs a pod',
  'deletes the namespace of others',
  'forgets a foreign cluster that was peered with by hand',
]
