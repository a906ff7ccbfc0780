export {
  type Federation,
  type FederationOptions,
  type MemberCluster,
  startFederation,
} from './federation.ts'
