import type { Verb } from './terminal/verb.ts'
import type { changeCluster } from './verbs/lending/change-cluster.ts'

type Row = readonly [name: string, summary: string, load: Verb['load']]

/** Every verb, in the order of the help text. */
export const verbs: readonly Verb[] = [
  ...group('Using capacity:', [
    ['reserve', 'lock capacity on the best provider', () => import('./verbs/using/reserve.ts')],
    ['activate', 'confirm that a reservation is in use', () => import('./verbs/using/activate.ts')],
    [
      'renew',
      'give a reservation a new duration, counted from now',
      () => import('./verbs/using/renew.ts'),
    ],
    ['release', 'give capacity back', () => import('./verbs/using/release.ts')],
    [
      'evaluate',
      'show how a request would be ranked, changing nothing',
      () => import('./verbs/using/evaluate.ts'),
    ],
  ]),
  ...group('Looking:', [
    [
      'reservations',
      'list reservations, or show one',
      () => import('./verbs/looking/reservations.ts'),
    ],
    ['clusters', 'list clusters, or show one', () => import('./verbs/looking/clusters.ts')],
    [
      'explain',
      'show why a reservation went where it did, and how its peering stands',
      () => import('./verbs/looking/explain.ts'),
    ],
    [
      'peerings',
      'list peering sessions, or show one step by step',
      () => import('./verbs/looking/peerings.ts'),
    ],
    [
      'watch',
      'follow changes as they are committed: reservations, clusters, peerings',
      () => import('./verbs/looking/watch.ts'),
    ],
    ['audit', 'ask whether the books add up', () => import('./verbs/looking/audit.ts')],
  ]),
  ...group('Lending capacity:', [
    ['cordon', 'place nothing new on a cluster', () => clusterVerb('cordon')],
    ['uncordon', 'take new reservations again', () => clusterVerb('uncordon')],
    ['withdraw', 'end what a cluster holds, after a grace period', () => clusterVerb('withdraw')],
    ['decommission', 'remove a cluster for good', () => clusterVerb('decommission')],
  ]),
  ...group('Running:', [
    ['broker', 'run the broker', () => import('./verbs/running/broker.ts')],
    ['agent', 'run the agent of a cluster', () => import('./verbs/running/agent.ts')],
    [
      'demo',
      'run a broker and a federation of simulated clusters',
      () => import('./verbs/running/demo.ts'),
    ],
    [
      'login',
      'take the operator certificate of a broker that Helm installed',
      () => import('./verbs/running/login.ts'),
    ],
    ['ca', 'make certificates for a federation', () => import('./verbs/running/ca.ts')],
    ['ledger', 'verify, export and import a ledger', () => import('./verbs/running/ledger.ts')],
    ['completion', 'print a completion script for your shell', completionVerb],
    ['version', 'print the version', () => import('./verbs/running/version.ts')],
  ]),
]

function group(title: string, rows: readonly Row[]): Verb[] {
  return rows.map(([name, summary, load]) => ({ name, summary, group: title, load }))
}

async function clusterVerb(verb: Parameters<typeof changeCluster>[0]) {
  const { changeCluster } = await import('./verbs/lending/change-cluster.ts')
  return { define: changeCluster(verb) }
}

/** The only verb that has to know all the others. */
async function completionVerb() {
  const { completionOf } = await import('./completion/completion.ts')
  const { createProgram } = await import('./program.ts')
  return { define: completionOf({ verbs, createProgram }) }
}
