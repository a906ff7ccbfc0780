import { notReady, type Readiness } from '@bourse/daemon/probes'

/** What each part says of itself: undefined is well, anything else a sentence about its trouble. */
export type Checks = Readonly<Record<string, () => string | undefined>>

/** Ready means: this cluster is measured and the broker knows it, or another agent sees to that. */
export function createReadiness(connections: () => string = () => 'none') {
  let report: () => Readiness = () => notReady({ agent: 'starting' })

  return {
    report(): Readiness {
      const { checks, ...verdict } = report()
      return { ...verdict, checks: { ...checks, connections: connections() } }
    },
    follow(checks: Checks): void {
      report = () => judge(checks)
    },
    standBy(leader: () => string | undefined): void {
      report = () => ({
        isReady: true,
        isLeader: false,
        checks: { leadership: `standing by: ${leader() ?? 'nobody'} leads` },
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
