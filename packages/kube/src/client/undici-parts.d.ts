// All of undici costs 15 MB more than the parts that are used here, which have no types.
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici'
  export default function request(
    this: Pick<Dispatcher, 'dispatch'>,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export default buildConnector
}
