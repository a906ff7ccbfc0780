import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFindings } from './accessibility-findings.ts'
import { gib, OSLO } from './cities.ts'
import { openScene, playMorning, type Scene } from './scene.ts'
import { PHONE, useBrowser } from './use-browser.ts'

// Scripts as text: they run in the page, whose types do not exist here.
const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const SIDEWAYS_IN_DIALOG = SIDEWAYS.replaceAll('documentElement', 'querySelector("dialog")')

const { complaints, openBlank, openPage: open } = useBrowser()
let scene: Scene
let pictures: string

beforeAll(async () => {
  scene = await openScene()
  await playMorning(scene)
  pictures = process.env.PICTURES_DIR ?? (await mkdtemp(join(tmpdir(), 'dashboard-pictures-')))
})
afterAll(() => scene.close())

const openPage = (options: BrowserContextOptions = {}, url = scene.url) => open(url, options)

const wish = { requester: 'naples', wanted: { cpu: 1_000n, memory: gib(2) } }
const reserveOne = () => scene.reserve({ ...wish, durationMs: 600_000 })

describe('the live page', () => {
  it('shows what is available where, and who needs attention', async () => {
    const page = await openPage()

    const paris = page.getByRole('list', { name: 'Resources of paris' })
    await expect(
      paris.getByRole('img', { name: /^CPU: 39.7 cores available of 64/ }).count(),
    ).resolves.toBe(1)
    await expect(paris.getByRole('img', { name: /^GPU: 5 available of 8/ }).count()).resolves.toBe(
      1,
    )
    await expect(page.locator('.cluster').first().textContent()).resolves.toMatch(/dublin.*stale/)
    await expect(page.locator('.cluster').nth(1).textContent()).resolves.toMatch(/berlin.*cordoned/)
    await expect.poll(() => page.locator('header').textContent()).toMatch(/Live.*Books sound/)
  })

  it('a new reservation and its decision appear without a reload', async () => {
    const page = await openPage()

    const reservation = await reserveOne()

    const row = page.locator('.reservation', { hasText: reservation?.id ?? 'none' })
    await row.waitFor()
    await expect(row.textContent()).resolves.toMatch(/naples on.*Reserved/)
    await expect.poll(() => page.locator('.decision').first().textContent()).toContain('naples')
  })

  it('a released reservation leaves the list and says so in the stream', async () => {
    const page = await openPage()
    const reservation = await reserveOne()
    const row = page.locator('.reservation', { hasText: reservation?.id ?? 'none' })
    await row.waitFor()

    await scene.writer.submit({ kind: 'release', id: reservation?.id ?? 'none' })

    await row.waitFor({ state: 'detached' })
    const newest = page.locator('.decision').first()
    await expect.poll(() => newest.textContent()).toMatch(/^Released on/)
  })

  it('a cluster that shrinks below what it holds is shown as overcommitted', async () => {
    const page = await openPage()

    await scene.advertise({ ...OSLO, load: 0.99 })
    await page.locator('.cluster', { hasText: 'overcommitted' }).waitFor()
    await scene.advertise(OSLO)

    await page.locator('.badge.bad').first().waitFor({ state: 'detached' })
  })

  it('the countdown runs', async () => {
    const page = await openPage()
    const countdown = page.locator('.summary .countdown time')
    const before = await countdown.textContent()

    await expect.poll(() => countdown.textContent()).not.toBe(before)
  })
})

describe('an explanation', () => {
  it('opens by keyboard, closes with Escape and gives the focus back', async () => {
    const page = await openPage()
    const decision = page.locator('.decision.reserved').first()

    const address = await decision.getAttribute('href')

    await decision.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: /was chosen$/ })
    await dialog.waitFor()
    await expect(dialog.getByRole('listitem').first().textContent()).resolves.toMatch(
      /chosen.*resources.*cost/,
    )
    expect(await page.evaluate(SIDEWAYS_IN_DIALOG)).toBe(0)
    await page.keyboard.press('Escape')

    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.hash')).toBe(address)
    expect(page.url()).toBe(scene.url)
  })

  it('of a refused request says what is missing where, the nearest first', async () => {
    const page = await openPage()

    await page.locator('.decision.refused').first().click()

    const dialog = page.getByRole('dialog', { name: 'No cluster could take it' })
    await dialog.waitFor()
    await expect(dialog.getByRole('listitem').first().textContent()).resolves.toMatch(
      /oslo.*CPU: 57.8 cores available, 142 cores more needed/,
    )
  })

  it('has an address that can be sent to others, and the back button closes it', async () => {
    const page = await openPage()
    await page.locator('.decision.reserved').first().click()
    await page.getByRole('dialog').waitFor()
    const address = page.url()

    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const other = await openBlank()
    await other.goto(address)

    await other.getByRole('dialog', { name: /was chosen$/ }).waitFor()
  })

  it('that the broker no longer remembers says so', async () => {
    const page = await openBlank()

    await page.goto(`${scene.url}#why/rsv-gone-1`)
    const dialog = page.getByRole('dialog', { name: 'No explanation' })
    await dialog.waitFor()

    await expect(dialog.textContent()).resolves.toContain('Nothing is known about rsv-gone-1')
    // The browser itself notes the 404 it was given.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('404')])
  })
})

describe('for every user', () => {
  it.each(['light', 'dark'] as const)(
    '%s: names, headings, landmarks and contrast',
    async (colorScheme) => {
      const page = await openPage({ colorScheme })
      const closed = await accessibilityFindings(page)

      await page.locator('.decision.refused').first().click()
      await page.locator('.ranked').first().waitFor()

      expect(closed).toEqual([])
      expect(await accessibilityFindings(page)).toEqual([])
    },
  )

  it.each([360, 390, 414])('%i pixels are wide enough: nothing scrolls sideways', async (width) => {
    const page = await openPage({ viewport: { ...PHONE, width } })

    const overflow = await page.evaluate(SIDEWAYS)

    expect(overflow).toBe(0)
  })

  it('the theme follows the system until the user chooses one, and then stays', async () => {
    const page = await openPage({ colorScheme: 'dark' })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const dark = await ground()

    await page.getByRole('button', { name: 'Switch to light theme' }).click()
    const chosen = await ground()
    await page.reload()

    expect([dark, chosen, await ground()]).toEqual([
      'rgb(12, 16, 21)',
      'rgb(245, 246, 248)',
      'rgb(245, 246, 248)',
    ])
  })

  it('decisions are announced politely', async () => {
    const page = await openPage()

    await reserveOne()

    await page.locator('[aria-live=polite]', { hasText: 'for naples' }).waitFor()
  })

  it('the first Tab leads past the header', async () => {
    const page = await openPage()

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')

    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('clusters')
  })

  it('pictures for people to look at', async () => {
    const morning = await openScene()
    await playMorning(morning)
    const desk = await openPage({}, morning.url)
    await desk.screenshot({ path: join(pictures, 'dashboard-light.png') })
    await desk.locator('.decision.refused').first().click()
    await desk.locator('.ranked').first().waitFor()
    await desk.screenshot({ path: join(pictures, 'dashboard-why.png') })
    const dark = await openPage({ colorScheme: 'dark' }, morning.url)
    await dark.screenshot({ path: join(pictures, 'dashboard-dark.png') })
    const phone = await openPage({ viewport: PHONE }, morning.url)
    const picture = await phone.screenshot({ path: join(pictures, 'dashboard-phone.png') })
    for (const page of [desk, dark, phone]) await page.close()
    await morning.close()

    expect(picture.length).toBeGreaterThan(10_000)
  })
})

describe('when things are not as usual', () => {
  it('an empty exchange says what to do', async () => {
    const empty = await openScene()
    const page = await openBlank()

    await page.goto(empty.url)
    await page.getByText('No cluster has advertised yet').waitFor()
    const findings = await accessibilityFindings(page)
    await page.close()
    await empty.close()

    expect(findings).toEqual([])
  })

  it('a broker that goes away is noticed, and what was shown stays', async () => {
    const passing = await openScene()
    await playMorning(passing)
    const page = await openBlank()
    await page.goto(passing.url)
    await page.locator('.cluster').first().waitFor()

    await passing.close()

    await page.getByText('Reconnecting…').waitFor()
    expect(await page.locator('.cluster').count()).toBe(8)
    await page.close()
    complaints.splice(0) // the browser notes each attempt
  })

  it('with a token a user signs in once', async () => {
    const token = 'the token of this test'
    const guarded = await openScene({ token })
    const page = await openBlank()

    await page.goto(guarded.url)
    await page.getByLabel("Operator's token").fill('a wrong one')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel("Operator's token").fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('No cluster has advertised yet').waitFor()
    await page.close()
    await guarded.close()

    // The browser itself notes the 403 it was given.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('403')])
  })
})
