import type { PeeringSession } from '@bourse/contract'
import { expect, it } from 'vitest'
import { createPaint } from '../terminal/colours.ts'
import { peeringsView, peeringView } from './peering-view.ts'

const look = { paint: createPaint(false), isWide: false, now: Date.parse('2026-11-15T12:00:30Z') }

const open: PeeringSession = {
  id: 'ps-1',
  requesterID: 'rome',
  providerID: 'paris',
  networking: 'none',
  state: 'open',
  messages: {},
  steps: { hello: '2026-11-15T12:00:00Z', nonce: '2026-11-15T12:00:10Z' },
  trouble: { provider: { reason: 'NoRoute', message: '192.0.2.7:6443 does not answer.' } },
  openedAt: '2026-11-15T12:00:00Z',
  expiresAt: '2026-11-15T13:00:10Z',
}

it('shows one session step by step, and who is stuck on what', () => {
  expect(peeringView(open)(look).split('\n')).toEqual([
    'Peering rome → paris: open (ps-1, no networking)',
    'Opened 30s ago, ends in 1h unless a message comes.',
    'paris is stuck: NoRoute: 192.0.2.7:6443 does not answer.',
    '',
    'STEP    BY     POSTED',
    'hello   rome   30s ago (2026-11-15T12:00:00Z)',
    'nonce   paris  20s ago (2026-11-15T12:00:10Z)',
    'tenant  rome   awaited',
    'grant   paris  -',
    'ready   rome   -',
  ])
})

it('shows the tunnel where there is networking, and the farewell when it was said', () => {
  const at = '2026-11-15T12:00:00Z'
  const steps = { hello: at, goodbye: at }

  const shown = peeringView({ ...open, networking: 'wireguard', state: 'closing', steps })(look)

  expect(shown.match(/^[a-z]+(?= +(rome|paris) )/gm)).toEqual([
    ...['hello', 'nonce', 'tenant', 'grant', 'gateway', 'tunnel', 'ready', 'goodbye'],
  ])
})

it('lists sessions with what each waits for', () => {
  const { trouble: _none, expiresAt: _never, ...rest } = open
  const established: PeeringSession = { ...rest, id: 'ps-2', state: 'established' }
  const closing: PeeringSession = { ...open, id: 'ps-3', state: 'closing' }

  expect(peeringsView([open, established, closing])(look).split('\n')).toEqual([
    'ID    REQUESTER  PROVIDER  STATE        WAITS FOR                  STUCK ON  OPENED   ENDS',
    'ps-1  rome       paris     open         rome: tenant               NoRoute   30s ago  in 1h',
    'ps-2  rome       paris     established  -                          -         30s ago  -',
    'ps-3  rome       paris     closing      paris: to remove its side  NoRoute   30s ago  in 1h',
  ])
})

it('says that there are none', () => {
  expect(peeringsView([])(look)).toBe('No peering sessions.')
})
