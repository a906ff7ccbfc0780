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
