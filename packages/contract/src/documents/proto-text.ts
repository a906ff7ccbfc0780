import type { DescField, DescMessage, DescMethod } from '@bufbuild/protobuf'
import { ScalarType } from '@bufbuild/protobuf'
import { brokerService } from '../transports/grpc.ts'

const NOTES: Readonly<Record<string, string>> = {
  Broker: 'The REST API of docs/api.md, carried by gRPC over mutual TLS.',
  Ask: 'One call, one answer. A refusal is an answer, too: look at its status.',
  Watch:
    'A GET of /instructions, /reservations or /peerings: answered at once, and again whenever it differs.',
  Call: 'A request: GET, POST, PUT or DELETE, the path below /api/v1 with its query, JSON, Bourse-Seen.',
  Answer: 'Its status, the headers worth having (bourse-ledger, bourse-index, date, …), and JSON.',
}

/** The descriptor as a .proto file. */
export function protoText(): string {
  const { file, name, methods } = brokerService
  return [
    '// Written by `make docs`; do not edit.',
    'syntax = "proto3";',
    '',
    `package ${file.proto.package};`,
    '',
    ...noted(name, [`service ${name} {`, ...methods.flatMap(methodText), '}']),
    ...file.messages.flatMap((message) => ['', ...messageText(message)]),
    '',
  ].join('\n')
}

function methodText({ name, input, output, methodKind }: DescMethod): string[] {
  const stream = methodKind === 'server_streaming' ? 'stream ' : ''
  return noted(name, [`rpc ${name}(${input.name}) returns (${stream}${output.name});`]).map(
    indented,
  )
}

function messageText({ name, fields }: DescMessage): string[] {
  const lines = fields.map((field) => indented(`${typeOf(field)} ${field.name} = ${field.number};`))
  return noted(name, [`message ${name} {`, ...lines, '}'])
}

function typeOf(field: DescField): string {
  if (field.fieldKind === 'map') return 'map<string, string>'
  return field.scalar === undefined ? 'unknown' : (ScalarType[field.scalar] ?? '').toLowerCase()
}

function noted(name: string, lines: readonly string[]): string[] {
  return [`// ${NOTES[name]}`, ...lines]
}

function indented(line: string): string {
  return `  ${line}`
}
