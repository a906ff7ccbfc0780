import { formatRates, parseRates, type Rates } from '@bourse/domain/quantity'
import type { Logger } from 'pino'
import type { BrokerConfig } from './broker-config.ts'
import { type Reading, watchFile } from './watch-file.ts'

type Take = (rates: Rates) => void

/** The rates of `--rates`. A bad file at the start throws; later the last good one stays. */
export function watchRates(
  { rates: source, currency }: Pick<BrokerConfig, 'rates' | 'currency'>,
  log: Pick<Logger, 'info' | 'warn'>,
  pollMs?: number,
) {
  let take: Take = () => {}
  const file =
    source?.kind === 'file'
      ? watchFile(source.path, (text) => read(source.path, text, currency), {
          onChange(rates) {
            log.info({ rates: formatRates(rates) }, 'the rates of currencies changed')
            take(rates)
          },
          onTrouble: (message) => log.warn(message),
          ...(pollMs !== undefined && { pollMs }),
        })
      : undefined
  const fixed: Rates = source?.kind === 'rates' ? source.rates : new Map()

  return {
    /** Hands them over, now and after each change. */
    follow(next: Take): void {
      take = next
      take(file?.current() ?? fixed)
    },
    close: () => file?.close(),
  }
}

function read(path: string, text: string, currency: string): Reading<Rates> {
  const parsed = parseRates(text)
  if (parsed.kind === 'bad') return { kind: 'bad', message: `${path}: ${parsed.reason}.` }
  if (!parsed.rates.has(currency)) return { kind: 'good', value: parsed.rates }
  return { kind: 'bad', message: `${path} names ${currency}, which is the --currency itself.` }
}
