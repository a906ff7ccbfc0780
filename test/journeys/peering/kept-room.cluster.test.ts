// Budget: 120 seconds.
import { describe, expect, it } from 'vitest'
import { usePeers } from './use-peers.ts'
import { deployment } from './workload.ts'

const GPU = { cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '1' }

/** paris has four GPUs and pods of its own that would take any of them. */
describe('room that is kept for a reservation', () => {
  const { federation, inCluster, kubectl, liqoIn, until, active, offloaded } = usePeers({
    agentRights: 'chart',
    agentFlags: () => ['--peering=native', '--hold-with-placeholders', '--peering-linger=0s'],
  })
  const resources = async () =>
    (await (await federation().broker.anOperator()).getCluster('paris')).resources
  const available = async () => (await resources()).available
  const phases = async (selector: string) =>
    kubectl('paris', [
      ...['get', 'pods', '-A', `--selector=${selector}`],
      '--output=jsonpath={.items[*].status.phase}',
    ])
  const untilPhases = (what: string, selector: string, wanted: string) =>
    until(what, async () => (await phases(selector)) === wanted || undefined)

  it('1. is taken by placeholders, and counted once', async () => {
    await inCluster('rome').ask('job', { cpu: '8', memory: '8Gi', gpu: '4', duration: '1h' })
    await active('job')

    const placeholders = 'bourse.dev/placeholder-for'
    await untilPhases(
      'a placeholder for each GPU',
      placeholders,
      Array(4).fill('Running').join(' '),
    )
    await until('paris has told that they are there', async () => {
      return (await resources()).allocated['nvidia.com/gpu'] === '4' || undefined
    })
    expect(await available()).toMatchObject({ cpu: '8', memory: '56Gi', 'nvidia.com/gpu': '0' })
  })

  it('2. is not for pods of paris', async () => {
    const local = deployment('local', { namespace: 'default', replicas: 1, amounts: GPU })
    await kubectl('paris', ['apply', '--filename=-'], local)

    const pending = await until('the scheduler has no place for it', async () => {
      const said = await kubectl('paris', [
        ...['get', 'pods', '--selector=app=local'],
        '--output=jsonpath={.items[*].status.conditions[*].reason}',
      ])
      return said.includes('Unschedulable') ? said : undefined
    })
    expect(pending).toBe('Unschedulable')
  })

  it('3. is for pods of rome', async () => {
    await offloaded('shop')
    const web = deployment('web', { namespace: 'shop', replicas: 2, amounts: GPU })
    await kubectl('rome', ['apply', '--filename=-'], web)

    await untilPhases('both run in paris', 'liqo.io/managed-by=shadowpod', 'Running Running')
    expect(await phases('app=local')).toBe('Pending')
    await until('paris offers as much as before', async () => {
      const { cpu, memory, 'nvidia.com/gpu': gpu } = await available()
      return (cpu === '8' && memory === '56Gi' && gpu === '0') || undefined
    })
  })

  it('4. is given back with the reservation, and then it is for all', async () => {
    await kubectl('rome', ['delete', 'deployment', 'web', '--namespace=shop'])
    await until('rome has nothing there', async () => {
      return (await liqoIn('paris').guests()).length === 0 || undefined
    })

    await inCluster('rome').remove('job')

    await untilPhases('the pod of paris runs', 'app=local', 'Running')
    await untilPhases('no placeholder is left', 'bourse.dev/placeholder-for', '')
  })
})
