import { expect, it } from 'vitest'
import { createSignal } from './signal.ts'

it('tells those who listen, until they have had enough', () => {
  const { subscribe, tell, isHeard } = createSignal<[id: string]>()
  const heard: string[] = []
  const stop = subscribe((id) => heard.push(`a ${id}`))
  subscribe((id) => heard.push(`b ${id}`))

  tell('one')
  stop()
  tell('two')

  expect(heard).toEqual(['a one', 'b one', 'b two'])
  expect(isHeard()).toBe(true)
})

it('is not heard before a listener subscribes', () => {
  const { subscribe, isHeard } = createSignal()

  expect(isHeard()).toBe(false)
  subscribe(() => {})()
  expect(isHeard()).toBe(false)
})
