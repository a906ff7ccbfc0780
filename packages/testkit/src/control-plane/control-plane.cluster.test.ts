import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../processes/broker-process.ts'
import { type Child, startChild } from '../processes/child.ts'
import { createScratchDir } from '../processes/scratch-dir.ts'
import { eventually } from '../time/eventually.ts'
import { agentKinds } from './bourse-kinds.ts'
import { aNode, aPod } from './builders.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { useControlPlane } from './use-control-plane.ts'

const configMap = (name: string) => ['create', 'configmap', name, '--from-literal=key=value']
const keyOf = (name: string) => ['get', 'configmap', name, '--output=jsonpath={.data.key}']

describe('a control plane', () => {
  const controlPlane = useControlPlane()

  it('serves kubectl', async () => {
    const { kubectl } = controlPlane()

    const names = await kubectl(['get', 'namespaces', '--output=name'])

    expect(names.split('\n')).toContain('namespace/default')
  })

  it('is the version that the documents name as tested', async () => {
    const page = readFileSync(join(repositoryRoot, 'docs/reference/support.md'), 'utf8')

    const { serverVersion } = JSON.parse(await controlPlane().kubectl(['version', '--output=json']))

    expect(page).toContain(`| ${serverVersion.gitVersion.slice(1)} |`)
  })

  it('reads manifests from the input and refuses in words', async () => {
    const { kubectl } = controlPlane()
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Not_A_Name' } }

    const applied = kubectl(['apply', '--filename=-'], JSON.stringify(manifest))

    await expect(applied).rejects.toThrow(/is invalid: metadata.name/)
  })

  it('refuses a stranger', async () => {
    const asStranger = await controlPlane().kubectlAs({ user: 'stranger' })

    await expect(asStranger(['get', 'configmaps'])).rejects.toThrow(
      'User "stranger" cannot list resource "configmaps"',
    )
  })

  it('knows a user by the name and the groups of the certificate', async () => {
    const asAda = await controlPlane().kubectlAs({ user: 'ada', groups: ['dev', 'bourse:admin'] })

    const who = JSON.parse(await asAda(['auth', 'whoami', '--output=json']))

    expect(who.status.userInfo).toMatchObject({
      username: 'ada',
      groups: ['dev', 'bourse:admin', 'system:authenticated'],
    })
  })

  it('gives rights by role bindings, to those who are bound only', async () => {
    const { kubectl, kubectlAs } = controlPlane()
    const asReader = await kubectlAs({ user: 'ada', groups: ['readers'] })
    await kubectl(['create', 'role', 'reader', '--verb=list', '--resource=configmaps'])
    await kubectl(['create', 'rolebinding', 'readers', '--role=reader', '--group=readers'])

    // The server's own view of the bindings follows a moment later.
    await eventually('A reader may read', () =>
      asReader(['get', 'configmaps']).then(
        () => true,
        () => undefined,
      ),
    )
    await expect(asReader(configMap('from-a-reader'))).rejects.toThrow('cannot create resource')
  })

  it('honours the token of a service account', async () => {
    const { kubectl, url, dir } = controlPlane()
    await kubectl(['create', 'serviceaccount', 'robot'])
    const token = await kubectl(['create', 'token', 'robot'])

    // Without the kubeconfig, whose certificate would be preferred.
    const bare = ['--kubeconfig=/dev/null', `--server=${url}`, `--token=${token.trim()}`]
    const ca = `--certificate-authority=${join(dir, 'pki', 'ca.crt')}`
    const who = await kubectl(['auth', 'whoami', '--output=json', ca, ...bare])

    expect(JSON.parse(who).status.userInfo.username).toBe('system:serviceaccount:default:robot')
  })

  it('keeps its data when the API server is killed', async () => {
    const { kubectl, apiServer } = controlPlane()
    await kubectl(configMap('before-the-kill'))

    await apiServer.kill()
    await apiServer.start()

    expect(await kubectl(keyOf('before-the-kill'))).toBe('value')
  })

  it('keeps its data when etcd is killed, and its API server goes on', async () => {
    const { kubectl, etcd, apiServer } = controlPlane()
    await kubectl(configMap('before-etcd-died'))
    const { pid } = apiServer

    await etcd.kill()
    await etcd.start()

    // Its connections to etcd come back a moment later.
    const kept = await eventually('The API server answers again', () =>
      kubectl(keyOf('before-etcd-died')).catch(() => undefined),
    )
    expect(kept).toBe('value')
    expect(apiServer.pid).toBe(pid)
  })

  it('answers nothing while its API server is frozen, and everything after', async () => {
    const { kubectl, apiServer } = controlPlane()

    apiServer.freeze()
    const asked = kubectl(['get', 'namespaces', '--request-timeout=500ms'])
    await expect(asked).rejects.toThrow(/timeout|deadline/i)
    apiServer.thaw()

    expect(await kubectl(['get', 'namespace', 'default', '--output=name'])).toBe(
      'namespace/default\n',
    )
  })
})

describe('a control plane with controllers, a scheduler and kwok', () => {
  const controlPlane = useControlPlane({
    withControllers: true,
    withScheduler: true,
    withKwok: true,
  })

  it('runs pods on nodes that do not exist', async () => {
    const { kubectl } = controlPlane()
    const items = [aNode('node-1', { cpu: '4' }), aPod('idle', { cpu: '2' })]
    await serviceAccount(controlPlane())

    await kubectl(['apply', '--filename=-'], JSON.stringify(aList(items)))
    await kubectl(['wait', '--for=condition=Ready', 'node/node-1', 'pod/idle', '--timeout=60s'])

    const node = '--output=jsonpath={.spec.nodeName} {.status.phase}'
    expect(await kubectl(['get', 'pod', 'idle', node])).toBe('node-1 Running')
  })

  it('goes on with its work when the API server was away', async () => {
    const { kubectl, apiServer } = controlPlane()
    await apiServer.kill()
    await apiServer.start()

    await kubectl(['apply', '--filename=-'], JSON.stringify(aNode('node-2')))

    await kubectl(['wait', '--for=condition=Ready', 'node/node-2', '--timeout=60s'])
  })

  it('deletes a namespace with all that is in it', async () => {
    const { kubectl } = controlPlane()
    await kubectl(['create', 'namespace', 'short-lived'])
    await kubectl([...configMap('inside'), '--namespace=short-lived'])

    await kubectl(['delete', 'namespace', 'short-lived', '--timeout=60s'])

    await expect(kubectl(['get', 'namespace', 'short-lived'])).rejects.toThrow('NotFound')
  })
})

describe('a control plane with kinds', () => {
  const controlPlane = useControlPlane({ kinds: agentKinds })

  it('serves those that it was given, and no others', async () => {
    const { kubectl } = controlPlane()

    const known = await kubectl(['get', 'crd', '--output=name'])

    expect(known.match(/[a-z.]+\.liqo\.io$/gm)).toHaveLength(agentKinds.length)
    expect(known.trim().split('\n')).toHaveLength(agentKinds.length)
    expect(await kubectl(['get', 'advertisements', '--all-namespaces'])).toBe('')
  })

  it('has nothing of an earlier one that was given the same', async () => {
    await controlPlane().kubectl(configMap('mine'))

    const other = await startControlPlane({ kinds: agentKinds })
    const found = await other.kubectl(['get', 'configmaps', '--output=name'])
    await other.stop()

    expect(found).toBe('')
  })

  it('gets those that its data lacks', async () => {
    const { dir: dataDir, remove } = createScratchDir('etcd')
    await (await startControlPlane({ dataDir })).stop()

    const { kubectl, stop } = await startControlPlane({ dataDir, kinds: agentKinds })
    const known = await kubectl(['get', 'crd', '--output=name'])
    await stop()
    remove()

    expect(known.trim().split('\n')).toHaveLength(agentKinds.length)
  })
})

describe('what is left of a control plane', () => {
  const crashed: Child[] = []
  afterEach(() => {
    for (const child of crashed.splice(0)) if (!child.exit()) child.kill('SIGKILL')
  })

  it('is nothing after stop', async () => {
    const { dir, stop, kubectl } = await startControlPlane()
    const watch = expect(kubectl(['get', 'namespaces', '--watch'])).rejects.toThrow('aborted')
    expect(processesOf(dir).length).toBeGreaterThanOrEqual(3)

    await stop()

    await watch
    expect(processesOf(dir)).toEqual([])
    expect(existsSync(dir)).toBe(false)
  })

  it('is the data, for the next one, where a directory was given', async () => {
    const { dir: dataDir, remove } = createScratchDir('etcd')
    const first = await startControlPlane({ dataDir })
    await first.kubectl(configMap('from-the-first'))
    await first.stop()

    const second = await startControlPlane({ dataDir })
    const found = await second.kubectl(keyOf('from-the-first'))
    await second.stop()
    remove()

    expect(found).toBe('value')
  })

  it.each(['SIGKILL', 'SIGINT'] as const)(
    'is nothing once %s has ended its owner',
    async (signal) => {
      const owner = startChild([
        'node',
        join(repositoryRoot, 'packages/testkit/scripts/cluster.ts'),
      ])
      crashed.push(owner)
      const dir = await eventually(
        'A cluster runs',
        () => /KUBECONFIG=(\S+)\/\S+\.kubeconfig/.exec(owner.output())?.[1],
        60_000,
      )
      expect(processesOf(dir).length).toBeGreaterThanOrEqual(3)

      owner.kill(signal)
      await owner.exited

      await eventually('No process is left', () => processesOf(dir).length === 0)
      await eventually('No file is left', () => !existsSync(dir))
    },
  )
})

const aList = (items: readonly object[]) => ({ apiVersion: 'v1', kind: 'List', items })

/** The controllers make it a moment after the namespace; pods are refused until then. */
function serviceAccount({ kubectl }: ControlPlane): Promise<string> {
  return kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=60s'])
}

/** The processes whose command line names a directory: a control plane's own, even if orphaned. */
function processesOf(dir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandOf(pid).includes(dir))
    .map(Number)
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // It ended while we looked.
  }
}
