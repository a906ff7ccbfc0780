import { expect, it } from 'vitest'
import { quietPorts } from './quiet-ports.ts'

it('gives no port twice, as its server may listen only later', async () => {
  const asked = Array.from({ length: 100 }, () => quietPorts(4))

  const ports = (await Promise.all(asked)).flat()

  expect(new Set(ports).size).toBe(400)
})
