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
