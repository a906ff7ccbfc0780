import { z } from 'zod'
import { IndexField } from './fields.ts'
import { AGE, column, defineKind } from './kind.ts'
import { BROKER_GROUP } from './names.ts'

const HASH_LENGTH_MAX = 128
const NAME_LENGTH_MAX = 253

/** Not in our category: people should not list or delete the store's own objects. */
const store = { group: BROKER_GROUP, categories: [] } as const

const hash = z.string().max(HASH_LENGTH_MAX)
const packed = {
  hash: hash.meta({ description: 'Hash of what the text says.' }),
  encoding: z
    .enum(['plain', 'gzip'])
    .meta({ description: 'How text is written; gzip is compressed and then in base64.' }),
  text: z.string().meta({ description: 'What is stored.' }),
}

export const JournalSlotSpec = z.object({
  ring: IndexField.meta({ description: 'How many slots the ring has.' }),
  index: IndexField.meta({ description: 'The place of this batch in the journal.' }),
  writer: z.string().max(NAME_LENGTH_MAX).meta({ description: 'The broker that wrote it.' }),
  previous: hash.meta({ description: 'Hash of the batch before.' }),
  ...packed,
})
export type JournalSlotSpec = z.infer<typeof JournalSlotSpec>

export const journalSlotKind = defineKind({
  ...store,
  kind: 'JournalSlot',
  description:
    "JournalSlot is one place in the ring that the broker's ledger is written to: the truth that " +
    'everything else shows. Never edit or delete one; take backups with `bourse ledger export`.',
  spec: JournalSlotSpec,
  specDescription: 'A sealed batch of events: a header line, then a line for each event.',
  columns: [
    column('Index', '.spec.index', 'Place in the journal.', { type: 'integer' }),
    column('Writer', '.spec.writer', 'Who wrote it.'),
    AGE,
  ],
})

export const SnapshotChunkSpec = z.object({
  snapshot: z.string().max(NAME_LENGTH_MAX).meta({ description: 'The snapshot it is part of.' }),
  nth: IndexField.meta({ description: 'Which part of it, from 0.' }),
  ...packed,
})
export type SnapshotChunkSpec = z.infer<typeof SnapshotChunkSpec>

export const snapshotChunkKind = defineKind({
  ...store,
  kind: 'SnapshotChunk',
  description:
    "SnapshotChunk is a part of a snapshot of the broker's ledger, small enough for the API " +
    'server; the one named catalogue lists the snapshots. Never edit or delete one.',
  spec: SnapshotChunkSpec,
  specDescription: 'One part of a snapshot.',
  columns: [
    column('Snapshot', '.spec.snapshot', 'What it is part of.'),
    column('Part', '.spec.nth', 'Which part.', { type: 'integer' }),
    AGE,
  ],
})

export const HistoryChunkSpec = z.object({
  sequence: IndexField.meta({ description: 'Its place in the order of all ever written.' }),
  through: IndexField.meta({ description: 'The history has all of the batches up to this one.' }),
  youngestAt: IndexField.meta({
    description: 'When the youngest thing in it ended, in milliseconds since 1970.',
  }),
  ...packed,
})
export type HistoryChunkSpec = z.infer<typeof HistoryChunkSpec>

export const historyChunkKind = defineKind({
  ...store,
  kind: 'HistoryChunk',
  description:
    "HistoryChunk is a part of the broker's record of what has ended: reservations, request ids " +
    'and explanations, kept for --history. Never edit or delete one.',
  spec: HistoryChunkSpec,
  specDescription: 'One part of the history.',
  columns: [
    column('Sequence', '.spec.sequence', 'Place in the order.', { type: 'integer' }),
    column('Through', '.spec.through', 'Complete up to this batch.', { type: 'integer' }),
    AGE,
  ],
})
