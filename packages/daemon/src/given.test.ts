import { expect, it } from 'vitest'
import { given } from './given.ts'

it('leaves out only what is undefined', () => {
  expect(given({ name: 'rome', port: undefined, count: 0, text: '', none: null })).toEqual({
    name: 'rome',
    count: 0,
    text: '',
    none: null,
  })
  expect(Object.keys(given({ port: undefined }))).toEqual([])
})
