import { amountOf, formatAmount, type Resources } from '@bourse/domain/quantity'

/**
 * `2 of 500 cpu`, for everything of which less is granted than asked for. A provider says it so
 * when it caps a slice, and the requester knows by it which of its askings was answered: Liqo
 * carries back no more than the provider's words.
 */
export function shortagesOf(granted: Resources, asked: Resources): string[] {
  return Object.keys(asked)
    .filter((name) => amountOf(asked, name) > amountOf(granted, name))
    .map((name) => {
      const given = formatAmount(name, amountOf(granted, name))
      return `${given} of ${formatAmount(name, amountOf(asked, name))} ${name}`
    })
}
