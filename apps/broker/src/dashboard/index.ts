/**
 * Serves the live page (apps/dashboard) on a port of its own: plain HTTP, read-only. Begin with
 * `dashboard-server.ts`. `access/` decides who may look, `pages/` serves the built files, and
 * `overview/` makes what the page draws, from committed events and one reading of the ledger.
 */
export { createDashboardServer } from './dashboard-server.ts'
export { createRecentRefusals } from './overview/recent-refusals.ts'
