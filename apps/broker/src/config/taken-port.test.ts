import { describe, expect, it } from 'vitest'
import { readBrokerConfig } from './broker-config.ts'
import { adviseOnTakenPort } from './taken-port.ts'

describe('a port that another process has', () => {
  it.each([
    { port: 8081, flag: '--health-probe-bind-address' },
    { port: 9443, flag: '--http-port' },
    { port: 8080, flag: '--metrics-bind-address' },
    { port: 8090, flag: '--dashboard-bind-address' },
  ])('$port is chosen by $flag, and no other flag is named', async ({ port, flag }) => {
    const read = await readBrokerConfig({
      argv: ['--http-cert-path=/c', '--http-port=9443'],
      env: {},
    })
    if (read.kind === 'bad') throw new Error(read.problems.join(' '))
    const taken = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE', port })

    const fault = adviseOnTakenPort(taken, read.config)

    const advice = `Another process listens there: choose another port with ${flag}`
    expect(fault).toMatchObject({ message: 'listen EADDRINUSE', advice })
  })
})
