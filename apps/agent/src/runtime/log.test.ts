import { BrokerUnreachable } from '@bourse/client'
import { expect, it } from 'vitest'
import { createLog, ofCluster } from './log.ts'

it('says in every line which cluster it is about', () => {
  const lines: string[] = []
  const now = () => new Date(0)
  const write = (line: string) => void lines.push(line)
  const log = ofCluster(createLog({ level: 'info', format: 'pretty', write, now }), 'rome')

  log.info('stopping')
  log.warn({ pauseMs: 5 }, 'not published')
  log.debug('too much')

  expect(lines).toEqual([
    '00:00:00 info  stopping clusterID=rome\n',
    '00:00:00 warn  not published clusterID=rome pauseMs=5\n',
  ])
})

it('says of a fault what it says itself, and of a bug where it is', () => {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const log = createLog({ level: 'info', format: 'pretty', write, now: () => new Date(0) })

  log.warn({ err: new BrokerUnreachable('No answer.') }, 'not heard')
  log.error({ err: new TypeError('x is undefined') }, 'failed')

  expect(lines[0]).toBe('00:00:00 warn  not heard err=No answer.\n')
  expect(lines[1]).toContain('"message":"x is undefined","stack":"TypeError')
})
