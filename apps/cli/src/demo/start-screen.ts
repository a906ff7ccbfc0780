import type { Reservation } from '@bourse/contract'
import { describeQuantities } from '../views/quantities.ts'
import { cities } from './cities.ts'

export type Screen = Readonly<{
  page: string
  api: string
  dataDir: string
  logFile: string
  brokerPid: number | undefined
  configFile: string
  first: Reservation | undefined
  /** As it has to be typed here. */
  program: string
  paint: Paint
}>
export type Paint = Readonly<{
  strong(text: string): string
  faint(text: string): string
  good(text: string): string
}>

/** What runs where, what has already happened, and what to try. */
export function startScreen(screen: Screen): string {
  const { paint, first, program } = screen
  const id = first?.id ?? 'RESERVATION'
  return [
    '',
    `  ${paint.strong('bourse')} is running a demo federation of ${cities.length} clusters.`,
    '',
    `  Live page   ${paint.good(screen.page)}`,
    `  REST API    ${screen.api} ${paint.faint('(mutual TLS)')}`,
    `  Clusters    ${cities.map(({ clusterId }) => clusterId).join(', ')}`,
    `  Data        ${screen.dataDir} ${paint.faint('(kept for the next run)')}`,
    `  Broker      process ${screen.brokerPid}, log in ${screen.logFile}`,
    '',
    ...firstLines(screen),
    `  Try next, in another terminal ${paint.faint('(from this directory)')}:`,
    '',
    `    export BOURSE_CONFIG=${screen.configFile}`,
    `    ${program} reserve --requester rome --cpu 2 --memory 4Gi --gpu 1 --duration 1h`,
    `    ${program} explain ${id}`,
    `    kill -9 ${screen.brokerPid}; until ${program} reservations 2>/dev/null; do sleep 1; done`,
    paint.faint(`      (the broker comes back by itself and has lost nothing)`),
    '',
    `  A broker of your own: ${paint.strong('make run-embedded')}; on the cluster of your kubeconfig:`,
    `  ${paint.strong('make install && make run-broker')}. All commands: make`,
    '',
    `  Ctrl-C stops everything.`,
    '',
  ].join('\n')
}

function firstLines({ first, paint }: Screen): string[] {
  if (!first) return []
  const wanted = describeQuantities(first.requestedResources)
  return [
    `  ${paint.good('✓')} First reservation: ${first.requesterID} holds ${wanted} on ` +
      `${paint.strong(first.targetClusterID)} ${paint.faint(`(${first.id})`)}`,
    '',
  ]
}
