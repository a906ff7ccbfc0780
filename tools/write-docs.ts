import { writeFileSync } from 'node:fs'
import { ROOT, writtenPages } from './reference/pages.ts'

// `make docs`; test/tidy/reference.test.ts fails where this would make a difference.
for (const [path, text] of await writtenPages()) writeFileSync(new URL(path, ROOT), text)
