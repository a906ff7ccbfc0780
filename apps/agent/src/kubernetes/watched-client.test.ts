import { type KubeClient, KubeError, type WatchOptions } from '@bourse/kube'
import { describe, expect, it } from 'vitest'
import { RESOURCE_REQUEST } from './kinds.ts'
import { createWatchedClient } from './watched-client.ts'

describe('what an agent watches', () => {
  it('is in trouble until the API server has agreed to the watch, though there be no news', async () => {
    const { client, failed, follow } = watched()
    const before = client.troubleOf(RESOURCE_REQUEST)

    await follow({ kind: 'agreed' })

    expect(before).toBe('resourcerequests are not watched yet')
    expect(client.troubleOf(RESOURCE_REQUEST)).toBeUndefined()
    expect(failed).toEqual([])
  })

  it('is counted and told of when it fails, until it is seen again', async () => {
    const { client, failed, follow } = watched()
    await follow({ kind: 'agreed' })

    await follow({ kind: 'refused' })
    const during = client.troubleOf(RESOURCE_REQUEST)
    await follow({ kind: 'agreed' })

    expect(during).toBe('resourcerequests is forbidden')
    expect(failed).toEqual(['resourcerequests'])
    expect(client.troubleOf(RESOURCE_REQUEST)).toBeUndefined()
  })

  it('is in no trouble when it is stopped', async () => {
    const { client, failed, follow } = watched()

    await follow({ kind: 'agreed' })
    await follow({ kind: 'stopped' })

    expect(failed).toEqual([])
    expect(client.troubleOf(RESOURCE_REQUEST)).toBeUndefined()
  })
})

type Turn = Readonly<{ kind: 'agreed' | 'refused' | 'stopped' }>

function watched() {
  const failed: string[] = []
  let turn: Turn = { kind: 'agreed' }
  const server = {
    // biome-ignore lint/correctness/useYield: nothing is ever told
    async *watch(_: unknown, { onOpen }: WatchOptions) {
      if (turn.kind === 'refused')
        throw new KubeError('resourcerequests is forbidden', { status: 403, reason: 'Forbidden' })
      if (turn.kind === 'stopped') throw new DOMException('stopped', 'AbortError')
      onOpen?.()
    },
  }
  // Nothing else is asked of it.
  const client = createWatchedClient(server as unknown as KubeClient, (kind) => failed.push(kind))

  async function follow(next: Turn): Promise<void> {
    turn = next
    const events = client.watch(RESOURCE_REQUEST)[Symbol.asyncIterator]()
    await events.next().catch(() => undefined)
  }
  return { client, failed, follow }
}
