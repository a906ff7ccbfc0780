import { expect, it } from 'vitest'
import { shellWord } from './lost-answer.ts'

it.each([
  ['https://127.0.0.1:8443', 'https://127.0.0.1:8443'],
  ['./my pki/rome', "'./my pki/rome'"],
  ["Ada's", "'Ada'\\''s'"],
  ['', "''"],
])('a shell reads %s as one word', (text, written) => {
  expect(shellWord(text)).toBe(written)
})
