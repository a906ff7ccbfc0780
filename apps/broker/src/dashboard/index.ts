export { createDashboardServer } from './dashboard-server.ts'
export { createRecentRefusals } from './overview/recent-refusals.ts'
