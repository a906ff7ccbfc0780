import { advertiseParis, differences, startBrokers, startLoad } from '@bourse/testkit/leadership'
import type { Benchmark } from '../harness/benchmark.ts'
import { startApiServer } from './api-server.ts'

const KILLS = 5
const KILLS_QUICK = 1
const CALLERS = 8
const FAILOVER_S_MAX = 7.5

/** How long there is no answer after the leader is killed, and whether anything is lost. */
export const kubernetesFailover: Benchmark = {
  name: 'kubernetes-failover',
  bar: '≤ 7.5 s to the next success with a lease of 5 s, nothing lost',

  async run(stage) {
    const server = await startApiServer(stage)
    const { brokers, leader, relaunch, stop } = await startBrokers(2, server.flags)
    await advertiseParis(await leader(), '1000000')
    const load = await startLoad(brokers, CALLERS)
    const tookMs: number[] = []
    const kills = stage.pace.isQuick ? KILLS_QUICK : KILLS
    for (let kill = 0; kill < kills; kill++) {
      await load.nextSuccessAfter(performance.now())
      const leading = await leader()
      await leading.kill('SIGKILL')
      const killedAt = performance.now()
      tookMs.push((await load.nextSuccessAfter(killedAt)) - killedAt)
      await relaunch(leading)
    }
    await load.stop()
    const wrongs = [
      ...(await differences(await (await leader()).aRawOperator(), load.acknowledged)),
      ...load.contradictions,
    ]
    await stop()
    await server.stop()

    return {
      lines: [
        {
          what: `failover, lease of 5 s, the longest of ${kills}`,
          measured: Math.max(...tookMs) / 1_000,
          unit: 's',
          bar: { kind: 'atMost', limit: FAILOVER_S_MAX, said: '≤ 7.5 s' },
        },
        {
          what: `lost, doubled or miscounted of ${load.acknowledged.length} acknowledged`,
          measured: wrongs.length,
          unit: 'reservations',
          bar: { kind: 'atMost', limit: 0, said: 'none' },
        },
      ],
      details: { tookMs, wrongs },
    }
  },
}
