import { create, createFileRegistry, type DescService, type Message } from '@bufbuild/protobuf'
import type { GenMessage, GenService } from '@bufbuild/protobuf/codegenv2'
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'

export type CallMessage = Message<'bourse.v1.Call'> & {
  method: string
  path: string
  body: Uint8Array
  seen: string
}
export type AnswerMessage = Message<'bourse.v1.Answer'> & {
  status: number
  headers: Record<string, string>
  body: Uint8Array
}

/** What both sides speak; `make docs` writes it down for other languages. */
const file: FileDescriptorProto = create(FileDescriptorProtoSchema, {
  name: 'bourse/v1/broker.proto',
  package: 'bourse.v1',
  syntax: 'proto3',
  messageType: [
    {
      name: 'Call',
      field: [
        { name: 'method', number: 1, type: Type.STRING, label: Label.OPTIONAL },
        { name: 'path', number: 2, type: Type.STRING, label: Label.OPTIONAL },
        { name: 'body', number: 3, type: Type.BYTES, label: Label.OPTIONAL },
        { name: 'seen', number: 4, type: Type.STRING, label: Label.OPTIONAL },
      ],
    },
    {
      name: 'Answer',
      field: [
        { name: 'status', number: 1, type: Type.UINT32, label: Label.OPTIONAL },
        {
          name: 'headers',
          number: 2,
          type: Type.MESSAGE,
          typeName: '.bourse.v1.Answer.HeadersEntry',
          label: Label.REPEATED,
        },
        { name: 'body', number: 3, type: Type.BYTES, label: Label.OPTIONAL },
      ],
      nestedType: [
        {
          name: 'HeadersEntry',
          options: { mapEntry: true },
          field: [
            { name: 'key', number: 1, type: Type.STRING, label: Label.OPTIONAL },
            { name: 'value', number: 2, type: Type.STRING, label: Label.OPTIONAL },
          ],
        },
      ],
    },
  ],
  service: [
    {
      name: 'Broker',
      method: [
        { name: 'Ask', inputType: '.bourse.v1.Call', outputType: '.bourse.v1.Answer' },
        {
          name: 'Watch',
          inputType: '.bourse.v1.Call',
          outputType: '.bourse.v1.Answer',
          serverStreaming: true,
        },
      ],
    },
  ],
})

type BrokerService = GenService<{
  ask: { methodKind: 'unary'; input: GenMessage<CallMessage>; output: GenMessage<AnswerMessage> }
  watch: {
    methodKind: 'server_streaming'
    input: GenMessage<CallMessage>
    output: GenMessage<AnswerMessage>
  }
}>

const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] }))

/** The one service: every call of the REST API, and the same call again whenever it has news. */
export const brokerService = known(registry.getService('bourse.v1.Broker')) as BrokerService

function known(service: DescService | undefined): DescService {
  if (!service) throw new Error('The descriptor above names another service.')
  return service
}
