import { BODY_BYTES_MAX, HEADER_BYTES_MAX } from '@bourse/contract'
import { inTwoStages } from './two-stage-validation.ts'
import { leadNowhere } from './unroutable.ts'

/** Slow clients are cut off, so that a thousand of them cost a thousand idle sockets at most. */
const HEADERS_TIMEOUT_MS = 10_000
export const REQUEST_TIMEOUT_MS = 30_000
export const HANDSHAKE_TIMEOUT_MS = 10_000
const CHECKING_INTERVAL_MS = 5_000
/** Longer than the 90 s of Go clients: they close first, so no request meets a closing socket. */
export const KEEP_ALIVE_MS = 100_000
export const PARAM_LENGTH_MAX = 256

export const transportLimits = {
  maxHeaderSize: HEADER_BYTES_MAX,
  headersTimeout: HEADERS_TIMEOUT_MS,
  connectionsCheckingInterval: CHECKING_INTERVAL_MS,
}

/** The options of fastify, for every transport. */
export const serverOptions = {
  bodyLimit: BODY_BYTES_MAX,
  exposeHeadRoutes: false,
  // Draining is ours: requests that are already here are still answered.
  return503OnClosing: false,
  routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
  frameworkErrors: leadNowhere,
  ajv: {
    customOptions: {
      // Every bad field is named, and nothing is quietly turned into something else.
      allErrors: true,
      coerceTypes: false,
      removeAdditional: false,
      useDefaults: false,
      // The schemas carry examples and descriptions for their readers.
      strict: false,
      // So that a finding has the names that are known beside the one that is not.
      verbose: true,
    },
    onCreate: inTwoStages,
  },
} as const
