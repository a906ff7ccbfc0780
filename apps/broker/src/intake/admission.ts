import type { Logger } from 'pino'
import type { BrokerConfig } from '../config/broker-config.ts'
import { watchList } from '../config/watch-list.ts'

/** The allow and deny lists as of now; without `allow` every cluster is allowed. */
export type Admission = Readonly<{ allow?: ReadonlySet<string>; deny: ReadonlySet<string> }>

/** Undefined: this cluster may speak. */
export function whyDenied(clusterId: string, { allow, deny }: Admission): string | undefined {
  if (deny.has(clusterId)) return `${clusterId} is on the deny list.`
  return allow && !allow.has(clusterId) ? `${clusterId} is not on the allow list.` : undefined
}

/** Admits and denies clusters by id, without new certificates. Follows changes of the files. */
export function watchAdmission(config: BrokerConfig, log: Logger) {
  const { allowClusters, denyClusters } = config
  const follow = (what: string) => ({
    onChange: (ids: ReadonlySet<string>) => log.info({ ids: ids.size }, `${what} changed`),
    onTrouble: (message: string) => log.warn(message),
  })
  const allow = allowClusters && watchList(allowClusters, follow('the list of allowed clusters'))
  const deny = denyClusters && watchList(denyClusters, follow('the list of denied clusters'))
  const none: ReadonlySet<string> = new Set()
  let lists = read()

  return {
    /** The same object as long as nothing has changed. */
    admission(): Admission {
      if (lists.allow !== allow?.current() || lists.deny !== (deny?.current() ?? none))
        lists = read()
      return lists
    },
    close() {
      allow?.close()
      deny?.close()
    },
  }

  function read(): Admission {
    return { ...(allow && { allow: allow.current() }), deny: deny?.current() ?? none }
  }
}
