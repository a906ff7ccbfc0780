import { openApiText } from '@bourse/contract'
import type { FastifyInstance } from 'fastify'
import type { AuditReport } from '../../after-commit/auditor.ts'
import { isoOf } from '../../presentation/moments.ts'
import { requireOperator } from '../callers/caller.ts'

type Ports = Readonly<{ audit(): Promise<AuditReport>; version: string }>

export function operationRoutes(server: FastifyInstance, { audit, version }: Ports): void {
  server.get('/openapi.json', async (_request, reply) => {
    const text = openApiText(version)
    return reply.header('content-type', 'application/json; charset=utf-8').send(text)
  })
  server.get('/audit', async (request) => {
    requireOperator(request)
    const { at, ...report } = await audit()
    return { ...report, checkedAt: isoOf(at) }
  })
}
