import type { Verb } from './terminal/verb.ts'

const USING = 'Using capacity:'
const LENDING = 'Lending capacity:'
const LOOKING = 'Looking:'
const RUNNING = 'Running:'

/** Every verb, in the order of the help text. */
export const verbs: readonly Verb[] = [
  {
    name: 'reserve',
    summary: 'lock capacity on the best provider',
    group: USING,
    load: () => import('./verbs/using/reserve.ts'),
  },
  {
    name: 'activate',
    summary: 'confirm that a reservation is in use',
    group: USING,
    load: () => import('./verbs/using/activate.ts'),
  },
  {
    name: 'renew',
    summary: 'give a reservation a new duration, counted from now',
    group: USING,
    load: () => import('./verbs/using/renew.ts'),
  },
  {
    name: 'release',
    summary: 'give capacity back',
    group: USING,
    load: () => import('./verbs/using/release.ts'),
  },
  {
    name: 'evaluate',
    summary: 'show how a request would be ranked, changing nothing',
    group: USING,
    load: () => import('./verbs/using/evaluate.ts'),
  },
  {
    name: 'reservations',
    summary: 'list reservations, or show one',
    group: LOOKING,
    load: () => import('./verbs/looking/reservations.ts'),
  },
  {
    name: 'clusters',
    summary: 'list clusters, or show one',
    group: LOOKING,
    load: () => import('./verbs/looking/clusters.ts'),
  },
  {
    name: 'explain',
    summary: 'show why a reservation went where it went, and how far it has peered',
    group: LOOKING,
    load: () => import('./verbs/looking/explain.ts'),
  },
  {
    name: 'peerings',
    summary: 'list peering sessions, or show one step by step',
    group: LOOKING,
    load: () => import('./verbs/looking/peerings.ts'),
  },
  {
    name: 'watch',
    summary: 'follow what is committed: reservations, clusters, peerings',
    group: LOOKING,
    load: () => import('./verbs/looking/watch.ts'),
  },
  {
    name: 'audit',
    summary: 'ask whether the books add up',
    group: LOOKING,
    load: () => import('./verbs/looking/audit.ts'),
  },
  {
    name: 'cordon',
    summary: 'place nothing new on a cluster',
    group: LENDING,
    load: () => clusterVerb('cordon'),
  },
  {
    name: 'uncordon',
    summary: 'take new reservations again',
    group: LENDING,
    load: () => clusterVerb('uncordon'),
  },
  {
    name: 'withdraw',
    summary: 'end what a cluster holds, after a grace',
    group: LENDING,
    load: () => import('./verbs/lending/withdraw.ts'),
  },
  {
    name: 'decommission',
    summary: 'take a cluster off the board for good',
    group: LENDING,
    load: () => clusterVerb('decommission'),
  },
  {
    name: 'broker',
    summary: 'run the broker',
    group: RUNNING,
    load: () => import('./verbs/running/broker.ts'),
  },
  {
    name: 'agent',
    summary: 'run the agent of a cluster',
    group: RUNNING,
    load: () => import('./verbs/running/agent.ts'),
  },
  {
    name: 'demo',
    summary: 'run a broker and a federation of simulated clusters',
    group: RUNNING,
    load: () => import('./verbs/running/demo.ts'),
  },
  {
    name: 'ca',
    summary: 'make certificates for a federation',
    group: RUNNING,
    load: () => import('./verbs/running/ca.ts'),
  },
  {
    name: 'ledger',
    summary: 'verify, export and import a ledger',
    group: RUNNING,
    load: () => import('./verbs/running/ledger.ts'),
  },
  {
    name: 'completion',
    summary: 'print a completion script for your shell',
    group: RUNNING,
    load: completionVerb,
  },
  {
    name: 'version',
    summary: 'print the version',
    group: RUNNING,
    load: () => import('./verbs/running/version.ts'),
  },
]

async function clusterVerb(verb: 'cordon' | 'uncordon' | 'decommission') {
  const { changeCluster } = await import('./verbs/lending/change-cluster.ts')
  return { define: changeCluster(verb) }
}

/** The only verb that has to know all the others. */
async function completionVerb() {
  const { completionOf } = await import('./completion/completion.ts')
  const { createProgram } = await import('./program.ts')
  return { define: completionOf({ verbs, createProgram }) }
}
