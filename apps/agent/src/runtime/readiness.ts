import { notReady, type Readiness } from '@bourse/daemon/probes'

/** The check of each part: undefined if it is well, otherwise what is wrong. */
export type Checks = Readonly<Record<string, () => string | undefined>>

/** Ready: the broker has this cluster's measurement, or another agent leads. */
export function createReadiness(connections: () => string = () => 'none') {
  let report: () => Readiness = () => notReady({ agent: 'starting' })

  return {
    report(): Readiness {
      const { checks, ...verdict } = report()
      return { ...verdict, checks: { ...checks, connections: connections() } }
    },
    /** Before the start is over. */
    waitFor(checks: Readiness['checks']): void {
      report = () => notReady({ agent: 'starting', ...checks })
    },
    follow(checks: Checks): void {
      report = () => judge(checks)
    },
    standBy(leader: () => string | undefined): void {
      report = () => ({
        isReady: true,
        isLeader: false,
        checks: { leadership: `standing by: ${leader() ?? 'no agent'} leads` },
      })
    },
    leave(): void {
      report = () => notReady({ agent: 'stopping' })
    },
  }
}

function judge(checks: Checks): Readiness {
  const found = Object.entries(checks).map(([name, check]) => [name, check()] as const)
  const isReady = found.every(([, trouble]) => trouble === undefined)
  const told = found.map(([name, trouble]) => [name, trouble ?? 'ok'])
  return { isReady, isLeader: true, checks: Object.fromEntries(told) }
}
