import type { NoteName, StoreNotes } from '../port/store-notes.ts'

/** For tests: notes that are gone with the process. */
export function createMemoryNotes(): StoreNotes {
  const notes = new Map<NoteName, string>()
  return {
    read: async (name) => notes.get(name),
    write: async (name, text) => void notes.set(name, text),
    remove: async (name) => void notes.delete(name),
  }
}
