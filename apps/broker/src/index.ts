/**
 * The broker as a library: `bourse broker` and tests start it in their own process.
 *
 * - `main.ts`: the whole broker on one page, in the order in which its parts open.
 * - `config/`: its flags. `leadership/`: which of several brokers decides.
 * - `ledger/`: the one writer. `store/`: journal, history and snapshots. `rollback/`: older copies.
 * - `http/`, `transports/`, `kubernetes/`: the interfaces; `intake/` reads what comes by any of them,
 *   `presentation/` writes what goes out, `fair-share/` limits what each cluster may take.
 * - `after-commit/`, `metrics/`, `dashboard/`: what follows each commit.
 *
 * Start with `main.ts`, then `ledger/writer/ledger-writer.ts`; docs/walks.md follows each request.
 */
export type { BrokerConfig } from './config/index.ts'
export { runBroker } from './main.ts'
export type { RunningBroker, Urls } from './running-broker.ts'
