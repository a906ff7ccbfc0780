/**
 * Characters that a terminal obeys or a reader cannot see: control characters (ESC, C1), marks that
 * turn the direction of text round, zero-width ones, line separators. As a part of a character
 * class, which JavaScript, Python and Rust read alike.
 */
const HIDDEN =
  '\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff' +
  '\\ufff9-\\ufffb\u{e0000}-\u{e007f}'
/** Lone surrogates: JSON can carry them, patterns of other languages cannot match them. */
const HALVES = '\\ud800-\\udfff'
const CONTROL = '\\u0000-\\u001f'
/** All of these but the tab and the end of a line. */
const CONTROL_IN_LINES = '\\u0000-\\u0008\\u000b-\\u001f'

/** What free text must look like. */
export const PRINTABLE_PATTERN = `^[^${CONTROL}${HIDDEN}]*$`
/** The same where it may have several lines. */
export const PRINTABLE_LINES_PATTERN = `^[^${CONTROL_IN_LINES}${HIDDEN}]*$`

const unprintable = new RegExp(`[${CONTROL}${HIDDEN}${HALVES}]`, 'u')
const unprintableInLines = new RegExp(`[${CONTROL_IN_LINES}${HIDDEN}${HALVES}]`, 'u')
const everyUnprintable = new RegExp(unprintable, 'gu')
const everyUnprintableInLines = new RegExp(unprintableInLines, 'gu')

/** The first character that must not be shown as it is, as `U+001B`; undefined: there is none. */
export function unprintableIn(text: string, lines: 'one line' | 'lines'): string | undefined {
  const found = (lines === 'lines' ? unprintableInLines : unprintable).exec(text)?.[0]
  return found && `U+${hexOf(found.codePointAt(0) ?? 0).toUpperCase()}`
}

/** Safe to show on one line: `\u001b[31m` instead of a red line. */
export function printable(text: string): string {
  return unprintable.test(text) ? text.replaceAll(everyUnprintable, escaped) : text
}

/** The same of a text with several lines; within JSON the escapes are JSON's own. */
export function printableLines(text: string): string {
  return unprintableInLines.test(text) ? text.replaceAll(everyUnprintableInLines, escaped) : text
}

function escaped(character: string): string {
  let text = ''
  for (let at = 0; at < character.length; at += 1) text += `\\u${hexOf(character.charCodeAt(at))}`
  return text
}

function hexOf(code: number): string {
  return code.toString(16).padStart(4, '0')
}
