import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeObject } from '@bourse/kube'
import { eventually, repositoryRoot } from '@bourse/testkit'
import { bourseKinds, grantAgentRights } from '@bourse/testkit/control-plane'
import { liqoDefinitions } from '@bourse/testkit/liqo'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  attemptsOnAuthority,
  certificateSigningRequest,
} from './escalation/attempts-on-authority.ts'
import { attemptsOnGuards } from './escalation/attempts-on-guards.ts'
import { attemptsOnLiqo } from './escalation/attempts-on-liqo.ts'
import { attemptsOnOthers } from './escalation/attempts-on-others.ts'
import { attemptsOnPods } from './escalation/attempts-on-pods.ts'
import { attemptsOnSecrets } from './escalation/attempts-on-secrets.ts'
import { type Call, type Caller, createCaller } from './escalation/caller.ts'
import { needs } from './escalation/needs.ts'
import { NAMESPACES, OWN, THINGS } from './escalation/scene.ts'

// With controllers: they give every namespace the account that a pod runs as.
const controlPlane = useControlPlane({
  ...{ withControllers: true, kinds: [...bourseKinds, liqoDefinitions()] },
})
const attempts = [
  ...[attemptsOnSecrets, attemptsOnAuthority, attemptsOnGuards],
  ...[attemptsOnOthers, attemptsOnPods, attemptsOnLiqo],
].flat()
let as: Record<'agent' | 'broker' | 'admin', Caller>

/** The roles and policies that the charts render, and the tokens that a kubelet hands to a pod. */
beforeAll(async () => {
  const plane = controlPlane()
  const { kubectl, url, caCertificate: ca } = plane
  await grantAgentRights(plane, 'agent-admission', 'agent-placeholders', 'agent-networking')
  for (const folder of ['rbac', 'admission'])
    await kubectl([
      'apply',
      '--server-side',
      `--kustomize=${join(repositoryRoot, 'config', folder)}`,
    ])
  for (const items of [NAMESPACES, [...THINGS, certificateSigningRequest('of-somebody')]])
    await make({ apiVersion: 'v1', kind: 'List', items })
  const tokenOf = async (account: string) => {
    const bound = ['--bound-object-kind=Pod', `--bound-object-name=${account}-0`]
    return (await kubectl(['create', 'token', account, `--namespace=${OWN}`, ...bound])).trim()
  }
  const { cert, key } = administrator(plane.adminKubeconfig)
  as = {
    agent: createCaller({ url, ca, token: await tokenOf('bourse-agent') }),
    broker: createCaller({ url, ca, token: await tokenOf('bourse-broker') }),
    admin: createCaller({ url, ca, cert, key }),
  }
  await eventually('the policies are in force', areInForce, 60_000)
})

/** Again while a namespace that was just made has no account yet that a pod could run as. */
async function make(list: object): Promise<void> {
  const apply = ['apply', '--server-side', '--force-conflicts', '--filename=-']
  const said = new Set<string>()
  const made = eventually('what is there', () =>
    controlPlane()
      .kubectl(apply, JSON.stringify(list))
      .then(
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

const dry = (call: Call): Call => ({
  ...call,
  call: call.call.startsWith('GET')
    ? call.call
    : `${call.call}${call.call.includes('?') ? '&' : '?'}dryRun=All`,
})

/** With the version that is there: no server takes an update without. */
async function current(call: Call): Promise<Call> {
  if (!call.call.startsWith('PUT')) return call
  const { message } = await as.admin({ call: call.call.replace('PUT', 'GET') })
  const { resourceVersion } = (JSON.parse(message) as KubeObject).metadata
  const { metadata, ...rest } = call.body as KubeObject
  return { ...call, body: { ...rest, metadata: { ...metadata, resourceVersion } } }
}

/** Each policy has refused something that RBAC would have let pass. */
async function areInForce(): Promise<boolean> {
  const probes = attempts.filter(({ tries }) => PROBES.includes(tries))
  const asked = probes.flatMap((probe) => [as.agent(dry(probe)), as.broker(dry(probe))])
  const refused = (await Promise.all(asked)).map(({ message }) => message).join()
  return POLICIES.every((policy) => refused.includes(`'${policy}' with binding '${policy}' denied`))
}
const PROBES = [
  'makes a Secret of a handshake in shop',
  'makes a Lease mine beside its own',
  'deletes a node of the cluster',
  'makes a Tenant outside of a tenant namespace',
  'runs a pod',
  'deletes the namespace of others',
]
const POLICIES = [
  ...['secrets', 'own', 'nodes', 'liqo', 'placeholders', 'leftovers'].map(
    (name) => `bourse-agent-${name}`,
  ),
  'bourse-broker-own',
]

describe('an administrator', () => {
  it.each(attempts.filter(({ isConnection }) => !isConnection))(
    'may do it: $tries',
    async (attempt) => {
      const { status, message } = await as.admin(dry(await current(attempt)))

      expect([status, message.slice(0, 300)]).toEqual([
        expect.toSatisfy(isSuccess),
        expect.anything(),
      ])
    },
  )
})

const isSuccess = (status: number) => status >= 200 && status < 300

describe.each(['agent', 'broker'] as const)('the token of the %s is refused when it', (who) => {
  it.each(attempts)('$tries', async (attempt) => {
    const { status, message } = await as[who](await current(attempt))

    expect([status, message.slice(0, 300)]).toEqual([403, expect.anything()])
  })
})

describe.each(['agent', 'broker'] as const)(
  'the token of the %s is good for what it needs',
  (who) => {
    it.each(needs[who])('$tries', async (need) => {
      const { status, message } = await as[who](dry(await current(need)))

      expect([status, message.slice(0, 300)]).toEqual([
        expect.toSatisfy(isSuccess),
        expect.anything(),
      ])
    })
  },
)
