import type { Explained } from '@bourse/contract/dashboard'
import { useEffect, useState } from 'preact/hooks'
import { explainedId } from './explanation-address.ts'

export type Reading =
  | Readonly<{ kind: 'reading' }>
  | Readonly<{ kind: 'read'; explained: Explained }>
  | Readonly<{ kind: 'failed'; detail: string }>

/** The id in the page's address, as it changes by links and by the back button. */
export function useExplainedId(): string | undefined {
  const [id, setId] = useState(() => explainedId(location.hash))
  useEffect(() => {
    const follow = () => setId(explainedId(location.hash))
    window.addEventListener('hashchange', follow)
    return () => window.removeEventListener('hashchange', follow)
  }, [])
  return id
}

export function useExplanation(id: string): Reading {
  const [reading, setReading] = useState<Reading>({ kind: 'reading' })
  useEffect(() => {
    const aborter = new AbortController()
    setReading({ kind: 'reading' })
    const url = `/data/reservations/${encodeURIComponent(id)}/explanation`
    readingOf(fetch(url, { signal: aborter.signal })).then((result) => {
      if (!aborter.signal.aborted) setReading(result)
    })
    return () => aborter.abort()
  }, [id])
  return reading
}

/** Never rejects: the dialog may be closed, and the read aborted, at any moment of the answer. */
export function readingOf(answer: Promise<Response>): Promise<Reading> {
  return answer.then(toReading).catch(() => UNREACHABLE)
}

async function toReading(response: Response): Promise<Reading> {
  const body = await response.json()
  if (response.ok) return { kind: 'read', explained: body }
  return { kind: 'failed', detail: body.detail ?? `The broker answered ${response.status}.` }
}

const UNREACHABLE: Reading = {
  kind: 'failed',
  detail: 'The broker does not answer. Close this and open it again in a moment.',
}
