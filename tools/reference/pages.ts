import { readFileSync } from 'node:fs'
import { apiDocs } from '../../packages/contract/src/documents/api-docs.ts'
import { kindDocs } from '../../packages/contract/src/documents/kind-docs.ts'
import { openApiDocument } from '../../packages/contract/src/documents/openapi.ts'
import { protoText } from '../../packages/contract/src/documents/proto-text.ts'
import { chartValuesPage } from './chart-values.ts'
import { commandLinePage } from './command-line.ts'
import { flagsPage } from './flags.ts'
import { metricsPage } from './metrics.ts'
import { supportPage } from './support.ts'

export const ROOT = new URL('../../', import.meta.url)

/** What `make docs` writes: a text for each path, from the sources alone. */
export async function writtenPages(): Promise<ReadonlyMap<string, string>> {
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'))
  return new Map([
    ['docs/api.md', apiDocs()],
    ['docs/openapi.json', `${JSON.stringify(openApiDocument(version), null, 2)}\n`],
    ['docs/proto/bourse/v1/broker.proto', protoText()],
    ['docs/reference/command-line.md', await commandLinePage()],
    ['docs/reference/flags.md', flagsPage()],
    ['docs/reference/metrics.md', await metricsPage()],
    ['docs/reference/kinds.md', kindDocs()],
    ['docs/reference/chart-values.md', chartValuesPage(ROOT)],
    ['docs/reference/support.md', supportPage(ROOT)],
  ])
}
