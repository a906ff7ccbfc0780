/*
 * The live page: what the exchange has, holds and decides, as it changes. The broker serves it on a
 * port of its own (apps/broker/src/dashboard), and it only reads.
 *
 *   live/         one stream of server-sent events: connection, merge of updates, the broker's clock
 *   overview/     the page: totals, clusters, reservations, decisions
 *   explanation/  the dialog that says why, at an address of its own (#why/ID)
 *   format/       amounts, prices, times and reasons as text: pure functions
 *   style/        a stylesheet a part of the page; colours in tokens.css
 */
import { render } from 'preact'
import { OverviewPage } from './overview/overview-page.tsx'
import './style/tokens.css'
import './style/base.css'
import './style/frame.css'
import './style/bars.css'
import './style/countdown.css'
import './style/capacity.css'
import './style/clusters.css'
import './style/reservations.css'
import './style/decisions.css'
import './style/explanation.css'
import './style/narrow.css'

const root = document.getElementById('page')
if (root) render(<OverviewPage />, root)
