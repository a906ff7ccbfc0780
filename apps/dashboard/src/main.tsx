import { render } from 'preact'
import { OverviewPage } from './overview/overview-page.tsx'
import './style/tokens.css'
import './style/base.css'
import './style/overview.css'
import './style/explanation.css'

const root = document.getElementById('page')
if (root) render(<OverviewPage />, root)
