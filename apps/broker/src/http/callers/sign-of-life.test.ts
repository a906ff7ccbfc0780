import { describe, expect, it } from 'vitest'
import { createSignOfLife } from './sign-of-life.ts'

describe('createSignOfLife', () => {
  it('passes a caller on at most once in five seconds', () => {
    const clock = { at: 0 }
    const now = () => clock.at
    const heard: string[] = []
    const hear = createSignOfLife((id) => heard.push(id), now)

    hear('rome')
    hear('rome')
    hear('paris')
    clock.at += 5_000
    hear('rome')

    expect(heard).toEqual(['rome', 'paris', 'rome'])
  })
})
