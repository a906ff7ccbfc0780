import { hash } from 'node:crypto'

export type RequestScope = Readonly<{ door: string; requester: string; requestId: string }>

/** 128 bits: enough that two ids never share one, and half the room on disk. */
const KEY_CHARACTERS = 32

/** The digest under which a request id is remembered. */
export const requestKey = ({ door, requester, requestId }: RequestScope): string =>
  hash('sha256', JSON.stringify([door, requester, requestId])).slice(0, KEY_CHARACTERS)
