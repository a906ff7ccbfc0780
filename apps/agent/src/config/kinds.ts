import { given } from '@bourse/daemon/given'
import { bad, type FlagKind, good, isClusterId, splitList } from '@bourse/daemon/settings'
import { parseMoney, parseResources, type Resources } from '@bourse/domain/quantity'
import { parseShare, type Share, type ToleratedTaint } from '../capacity/index.ts'

export type ObjectName = Readonly<{ namespace?: string; name: string }>

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const OBJECT = new RegExp(`^(?:(${DNS_LABEL})/)?(${DNS_LABEL}(?:\\.${DNS_LABEL})*)$`)
const LABEL_KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/
const TAINT = /^([^=:]+)(?:=([^:]*))?(?::(NoSchedule|NoExecute|PreferNoSchedule))?$/
const ALLOWED_SHARE = 'all, none, a percentage such as 50%, or amounts such as cpu=64,memory=256Gi'

export const clusterId: FlagKind<string> = {
  placeholder: 'ID',
  parse: (written) =>
    isClusterId(written)
      ? good(written)
      : bad('lower-case letters, digits and hyphens, at most 63 of them, such as rome'),
}

export const httpsUrl: FlagKind<string> = {
  placeholder: 'URL',
  parse: (written) =>
    URL.parse(written)?.protocol === 'https:'
      ? good(written.replace(/\/+$/, ''))
      : bad('an https address such as https://broker.example:8443'),
}

/** Several ways to one ledger with commas between; the transport says which scheme it must be. */
export const brokerUrls: FlagKind<string> = {
  placeholder: 'URL,…',
  parse: (written) =>
    splitList(written).every((url) => SCHEMES.has(URL.parse(url)?.protocol ?? ''))
      ? good(written)
      : bad('an https address such as https://broker.example:8443, or several with commas'),
}
const SCHEMES: ReadonlySet<string> = new Set(['https:', 'mqtts:'])

/** The text itself travels: money never becomes a floating-point number. */
export const price: FlagKind<string> = {
  placeholder: 'PRICE',
  parse: (written) =>
    parseMoney(written).kind === 'ok' ? good(written) : bad('a decimal such as 0.045'),
}

/** `name` or `namespace/name`. */
export const objectName: FlagKind<ObjectName> = {
  placeholder: '[NAMESPACE/]NAME',
  parse(written) {
    const [, namespace, , name] = OBJECT.exec(written) ?? []
    if (name === undefined) return bad('NAME or NAMESPACE/NAME')
    return good(namespace === undefined ? { name } : { namespace, name })
  },
}

export const labels: FlagKind<Readonly<Record<string, string>>> = {
  placeholder: 'NAME=VALUE,…',
  parse(written) {
    const pairs = pairsOf(written)
    return pairs?.every(([name]) => LABEL_KEY.test(name))
      ? good(Object.fromEntries(pairs))
      : bad('NAME=VALUE pairs with label names, such as tier=gold,example.com/green=yes')
  },
}

export const amounts: FlagKind<Resources> = {
  placeholder: 'NAME=AMOUNT,…',
  parse(written) {
    const resources = resourcesOf(written)
    return resources ? good(resources) : bad('NAME=AMOUNT pairs such as cpu=8,memory=32Gi')
  },
}

export const share: FlagKind<Share> = {
  placeholder: 'all|none|PERCENT%|NAME=AMOUNT,…',
  parse(written) {
    const word = parseShare(written)
    if (word) return good(word)
    const amount = resourcesOf(written)
    return amount ? good({ kind: 'amount', amount }) : bad(ALLOWED_SHARE)
  },
}

/** `key`, `key=value`, `key:Effect` or `key=value:Effect`, as kubectl writes them. */
export const taints: FlagKind<readonly ToleratedTaint[]> = {
  placeholder: 'KEY[=VALUE][:EFFECT],…',
  parse(written) {
    const parts = splitList(written).map((item) => TAINT.exec(item))
    const tolerated = parts.map((part) => ({
      key: part?.[1] ?? '',
      ...given({ value: part?.[2], effect: part?.[3] }),
    }))
    return tolerated.length > 0 && tolerated.every(({ key }) => key !== '')
      ? good(tolerated)
      : bad('taints such as dedicated=lending:NoSchedule')
  },
}

function pairsOf(written: string): [string, string][] | undefined {
  const pairs = splitList(written).map((item) => /^([^=]+)=(.*)$/.exec(item))
  if (pairs.length === 0 || pairs.includes(null)) return undefined
  return pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? ''])
}

function resourcesOf(written: string): Resources | undefined {
  const pairs = pairsOf(written)
  const parsed = pairs && parseResources(Object.fromEntries(pairs), 'supply')
  return parsed?.kind === 'ok' ? parsed.resources : undefined
}
