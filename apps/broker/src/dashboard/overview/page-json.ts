import { printableLines } from '@bourse/contract'

/**
 * JSON for the page. Characters that cannot be shown are spelled out, as `\u202e`: the page shows
 * these six characters, where JSON's own escape would bring the character back.
 */
export function pageJson(content: unknown): string {
  const text = JSON.stringify(content)
  const safe = printableLines(text)
  return safe === text ? text : JSON.stringify(content, (_, value) => spelledOut(value))
}

function spelledOut(value: unknown): unknown {
  return typeof value === 'string' ? printableLines(value) : value
}
