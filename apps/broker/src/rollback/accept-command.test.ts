import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { acceptIn } from './accept-command.ts'

it.each(['/var/lib/bourse', '/home/ana/my data', "/tmp/it's $(here)"])(
  'names %s so that a shell reads it as it is',
  (dataDir) => {
    const [, words = ''] = acceptIn(dataDir).split('--data-dir ')

    expect(execFileSync('sh', ['-c', `printf %s ${words}`], { encoding: 'utf8' })).toBe(dataDir)
  },
)
