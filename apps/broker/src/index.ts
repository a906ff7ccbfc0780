export type { BrokerConfig } from './config/index.ts'
export { type RunningBroker, runBroker, type Urls } from './main.ts'
