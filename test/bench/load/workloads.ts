import type { RawAnswer } from './raw-connection.ts'
import {
  advertisementBody,
  numbered,
  requestBytes,
  reservationBody,
  smallObjectBody,
} from './requests.ts'

/** What a load process is told to send, one stream a connection. */
export type Workload =
  | Readonly<{ kind: 'reserve' }>
  /** The floor of what is kept on an API server. */
  | Readonly<{ kind: 'create-small' }>
  | Readonly<{ kind: 'advertise'; isChanging: boolean }>
  /** Reserves until so many are live on a connection, then releases the oldest in turn. */
  | Readonly<{ kind: 'churn'; livePerConnection: number }>

export type Stream = Readonly<{
  next(): Buffer
  /** Called with each answer, before `next`. */
  learn?(answer: RawAnswer): void
}>

type Place = Readonly<{ clusterId: string; number: number; run: string }>

const SMALL_PATH = '/apis/bench.bourse.dev/v1/namespaces/default/smalls'

/** Request ids of one run never meet those of another. */
export function streamOf(workload: Workload, place: Place): Stream {
  const { clusterId, number, run } = place
  switch (workload.kind) {
    case 'reserve':
      return { next: reserving(place) }
    case 'create-small': {
      const body = smallObjectBody(`${clusterId}-${number}-${run}`)
      return { next: numbered(requestBytes('POST', SMALL_PATH, body), 0) }
    }
    case 'advertise': {
      const request = requestBytes('POST', '/advertisements', advertisementBody(clusterId, number))
      // Far apart for each run, so that the first one is a change as well.
      const firstNumber = Number.parseInt(run, 36) % 100_000
      return { next: workload.isChanging ? numbered(request, firstNumber) : () => request }
    }
    case 'churn':
      return churning(reserving(place), workload.livePerConnection)
  }
}

function reserving({ clusterId, run }: Place): () => Buffer {
  const body = reservationBody(`${clusterId}-${run}`)
  return numbered(requestBytes('POST', '/reservations', body), 0)
}

function churning(reserve: () => Buffer, liveMax: number): Stream {
  const live: string[] = []
  return {
    next() {
      const oldest = live.length >= liveMax ? live.shift() : undefined
      return oldest === undefined ? reserve() : requestBytes('DELETE', `/reservations/${oldest}`)
    },
    learn({ status, body }) {
      if (status === 201) live.push(idIn(body))
    },
  }
}

/** The id is the first field of a reservation: no need to parse the rest. */
function idIn(body: Buffer): string {
  const [, id] = /^\{"id":"([^"]+)"/.exec(body.toString('latin1', 0, 100)) ?? []
  if (id === undefined) throw new Error(`A reservation without its id first: ${body}`)
  return id
}
