import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'

/** For the browser to start, and for what a test waits for in it: also on a busy machine. */
const TIMEOUT_MS = 120_000
const CHROMIUM = {
  timeout: TIMEOUT_MS,
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}
export const DESK = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }

/** A browser for the tests of a file. Nothing may be left on its console after a test. */
export function useBrowser() {
  let browser: Browser
  /** Errors, and every breach of the content security policy, reach the console. */
  const complaints: string[] = []

  beforeAll(async () => {
    browser = await chromium.launch(CHROMIUM)
  })
  afterAll(() => browser.close())
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  async function openBlank(options: BrowserContextOptions = {}): Promise<Page> {
    const defaults = { viewport: DESK, reducedMotion: 'reduce' } as const
    const context = await browser.newContext({ ...defaults, ...options })
    context.setDefaultTimeout(TIMEOUT_MS)
    const page = await context.newPage()
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        complaints.push(message.text())
    })
    return page
  }

  async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openBlank(options)
    await page.goto(url)
    await page.getByRole('heading', { name: /^Clusters/ }).waitFor()
    return page
  }

  return { complaints, openBlank, openPage }
}
