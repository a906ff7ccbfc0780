import { describe, expect, it } from 'vitest'
import {
  PRINTABLE_LINES_PATTERN,
  PRINTABLE_PATTERN,
  printable,
  printableLines,
  unprintableIn,
} from './printable.ts'

const pattern = new RegExp(PRINTABLE_PATTERN, 'u')
const linesPattern = new RegExp(PRINTABLE_LINES_PATTERN, 'u')

describe('printable', () => {
  it.each([
    { what: 'an escape sequence', text: 'a\u001b[31mb', shown: 'a\\u001b[31mb', at: 'U+001B' },
    { what: 'the C1 form of one', text: '\u009b31m', shown: '\\u009b31m', at: 'U+009B' },
    { what: 'a bell', text: 'ding\u0007', shown: 'ding\\u0007', at: 'U+0007' },
    { what: 'a carriage return', text: 'good\rbad', shown: 'good\\u000dbad', at: 'U+000D' },
    { what: 'DEL', text: '\u007f', shown: '\\u007f', at: 'U+007F' },
    { what: 'text turned round', text: 'a\u202eb', shown: 'a\\u202eb', at: 'U+202E' },
    { what: 'an isolate', text: '\u2066x\u2069', shown: '\\u2066x\\u2069', at: 'U+2066' },
    { what: 'a zero-width space', text: 'ro\u200bme', shown: 'ro\\u200bme', at: 'U+200B' },
    { what: 'a byte order mark', text: '\ufeffrome', shown: '\\ufeffrome', at: 'U+FEFF' },
    { what: 'a tag', text: 'a\u{e0041}', shown: 'a\\udb40\\udc41', at: 'U+E0041' },
  ])('refuses and escapes $what', ({ text, shown, at }) => {
    expect(printable(text)).toBe(shown)
    expect(printableLines(text)).toBe(shown)
    expect(unprintableIn(text, 'one line')).toBe(at)
    expect(pattern.test(text)).toBe(false)
    expect(linesPattern.test(text)).toBe(false)
    expect(JSON.parse(`"${printableLines(text)}"`)).toBe(text)
  })

  it('refuses and escapes half a character', () => {
    expect(printable('a\ud800b')).toBe('a\\ud800b')
    expect(unprintableIn('a\ud800b', 'one line')).toBe('U+D800')
  })

  it.each(['Paris, FR', 'München — 東京 ✓', 'a🙂b', 'Ελλάδα', ''])('leaves %j as it is', (text) => {
    expect(printable(text)).toBe(text)
    expect(unprintableIn(text, 'one line')).toBeUndefined()
    expect(pattern.test(text)).toBe(true)
  })

  it('keeps ends of lines and tabs where there may be several lines', () => {
    expect(printable('a\n\tb')).toBe('a\\u000a\\u0009b')
    expect(printableLines('a\n\tb')).toBe('a\n\tb')
    expect(unprintableIn('a\n\tb', 'lines')).toBeUndefined()
    expect(linesPattern.test('a\n\tb')).toBe(true)
  })
})
