import { openApiDocument } from '@bourse/contract'
import type { FastifyInstance } from 'fastify'
import type { AuditReport } from '../../after-commit/auditor.ts'
import { isoOf } from '../../presentation/moments.ts'
import { requireOperator } from '../callers/caller.ts'

type Ports = Readonly<{ audit(): Promise<AuditReport>; version: string }>

export function operationRoutes(server: FastifyInstance, { audit, version }: Ports): void {
  let document: string | undefined

  server.get('/openapi.json', async (_request, reply) => {
    // Written when first asked for: a start need not wait for it.
    document ??= JSON.stringify(openApiDocument(version))
    return reply.header('content-type', 'application/json; charset=utf-8').send(document)
  })
  server.get('/audit', async (request) => {
    requireOperator(request)
    const { at, ...report } = await audit()
    return { ...report, checkedAt: isoOf(at) }
  })
}
