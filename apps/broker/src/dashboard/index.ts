export { createDashboardServer } from './dashboard-server.ts'
export { createRecentRefusals } from './recent-refusals.ts'
