import { mkdirSync, writeFileSync } from 'node:fs'
import { protoText } from '../src/documents/proto-text.ts'

/** The gRPC service for those who speak another language; CI fails when this makes a difference. */
const directory = new URL('../../../docs/proto/bourse/v1/', import.meta.url)
mkdirSync(directory, { recursive: true })
writeFileSync(new URL('broker.proto', directory), protoText())
