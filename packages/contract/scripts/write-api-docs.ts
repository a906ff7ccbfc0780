import { readFileSync, writeFileSync } from 'node:fs'
import { apiDocs } from '../src/documents/api-docs.ts'

// node packages/contract/scripts/write-api-docs.ts [--check]
const target = new URL('../../../docs/api.md', import.meta.url)
const text = apiDocs()

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('docs/api.md is not what the schemas say; run `make docs`.')
    process.exitCode = 1
  }
} else {
  writeFileSync(target, text)
}
