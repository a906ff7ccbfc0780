import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFindings } from './accessibility-findings.ts'
import { CITIES, type City, gib, OSLO } from './cities.ts'
import { openScene, playMorning, type Scene } from './scene.ts'
import { DESK, PHONE, useBrowser } from './use-browser.ts'

const { openPage: open } = useBrowser()
let morning: Scene
/** More clusters than fit on a screen, with names as long as they may be. */
let crowd: Scene

const LONG = 'a-cluster-with-a-name-that-no-one-would-like-to-read-aloud'
const crowded = (n: number): City => {
  const city = CITIES[n % CITIES.length] ?? OSLO
  const name = n % 7 === 0 ? `${LONG}-${LONG}-${n}` : `${city.id} ${n}`
  return { ...city, id: `${city.id}-${n}`, name, ...(n % 9 === 0 && { currency: 'CHF' }) }
}

beforeAll(async () => {
  morning = await openScene()
  await playMorning(morning)
  crowd = await openScene()
  await playMorning(crowd)
  for (let n = 0; n < 40; n++) await crowd.advertise(crowded(n))
  const wanted = { cpu: 1_000n, memory: gib(1) }
  for (let n = 0; n < 30; n++) await crowd.reserve({ requester: `${LONG}-${n}`, wanted })
})
afterAll(async () => {
  await morning.close()
  await crowd.close()
})

const openMorning = (options?: BrowserContextOptions) => open(morning.url, options)
const openCrowd = (options?: BrowserContextOptions) => open(crowd.url, options)

// Scripts as text: they run in the page, whose types do not exist here.
const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
/** Of each bar: the number beside it, and how much of it is filled from its left end. */
const BARS = `[...document.querySelectorAll('.bar-cell, .tile')].map((cell) => {
  const bar = cell.querySelector('.bar').getBoundingClientRect()
  const widthOf = (part) => cell.querySelector(part).getBoundingClientRect().width
  const first = cell.querySelector('.bar > span').getBoundingClientRect()
  return {
    says: cell.querySelector('.bar-label > .num, .tile-figure').textContent,
    filled: (widthOf('.available') + (cell.closest('.cluster') ? widthOf('.out-of-reach') : 0)) / bar.width,
    offset: first.left - bar.left,
  }
})`
type Bar = Readonly<{ says: string; filled: number; offset: number }>

function shareSaid(says: string): number {
  const [, part = '', whole = ''] = /([\d.,]+) of ([\d.,]+)/.exec(says) ?? []
  return Number(part.replace(',', '')) / Number(whole.replace(',', ''))
}

async function countInSight(page: Page, selector: string): Promise<number> {
  const boxes = await Promise.all((await page.locator(selector).all()).map((one) => boxOf(one)))
  const { height, width } = page.viewportSize() ?? DESK
  return boxes.filter((box) => box.y + box.height <= height && box.x + box.width <= width).length
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error('not drawn')
  return box
}

const clusterOf = (page: Page, name: string) =>
  page.locator('.cluster', { has: page.getByRole('heading', { name, exact: true }) })

describe('number and bar', () => {
  it('tell the same thing: a bar is filled as far as its number says', async () => {
    const page = await openMorning()

    const bars: Bar[] = await page.evaluate(BARS)

    // Eight clusters, four of them with GPUs, and three totals.
    expect(bars.length).toBe(8 * 2 + 4 + 3)
    for (const { says, filled, offset } of bars) {
      expect(filled, says).toBeCloseTo(shareSaid(says), 2)
      expect(offset, says).toBeCloseTo(0, 1)
    }
  })

  it('of a cluster that holds more than it has say by how much', async () => {
    const scene = await openScene()
    await scene.advertise(OSLO)
    await scene.reserve({ requester: 'rome', wanted: { cpu: 64_000n } })
    await scene.advertise({ ...OSLO, load: 0.6 })

    const page = await open(scene.url)

    // Of 128 cores its own pods take 76.8, and 64 are reserved.
    const cpu = clusterOf(page, 'oslo').locator('.bar-cell').first()
    await expect(cpu.textContent()).resolves.toContain('12.8 over 128')
    await expect(cpu.locator('.excess').count()).resolves.toBe(1)
    await page.close()
    await scene.close()
  })
})

describe('a cluster', () => {
  it('with a limited score is no alarm: every band has the colour of plain text', async () => {
    const page = await openMorning()

    const colours = await page.evaluate(`[...document.querySelectorAll('.cluster-facts dd')]
      .filter((fact) => /limited|moderate|good|excellent/.test(fact.textContent))
      .map((fact) => getComputedStyle(fact.lastElementChild).color)`)
    const plain = await page.evaluate(
      `getComputedStyle(document.querySelector('.cluster-head > .muted')).color`,
    )

    expect(colours).toEqual(Array(8).fill(plain))
    await expect(page.locator('.cluster', { hasText: 'limited' }).count()).resolves.toBe(3)
  })

  it.each([DESK, { width: 1024, height: 768 }, PHONE])(
    'without GPUs leaves no hole at $width pixels: its bars share the width',
    async (viewport) => {
      const page = await openMorning({ viewport })
      await unfoldIfFolded(page, 'Clusters')

      for (const [name, barCount] of [
        ['turin', 2],
        ['paris', 3],
      ] as const) {
        const row = clusterOf(page, name)
        const cells = row.locator('.bar-cell')
        const first = await boxOf(cells.first())
        const last = await boxOf(cells.last())
        const whole = await boxOf(row.locator('.bars'))

        expect(await cells.count()).toBe(barCount)
        expect(first.x).toBeCloseTo(whole.x, 0)
        expect(last.x + last.width).toBeCloseTo(whole.x + whole.width, 0)
      }
    },
  )

  it('whose prices do not count says why', async () => {
    const page = await openCrowd()

    const row = page.locator('.cluster', { hasText: 'unpriced' }).first()

    await expect(row.textContent()).resolves.toMatch(/prices in CHF do not count: no rate to USD/)
    const price = await boxOf(row.locator('.price').last())
    const live = await boxOf(row.locator('.cluster-facts > :nth-child(3)'))
    expect(price.x + price.width).toBeLessThanOrEqual(live.x)
  })
})

describe('a screen of 1440 x 900', () => {
  it.each([
    { many: '8 clusters', openScreen: openMorning, clusters: 7, reservations: 9 },
    { many: '48 clusters', openScreen: openCrowd, clusters: 4, reservations: 4 },
  ])('shows clusters and reservations at once, with $many', async (expected) => {
    const page = await expected.openScreen()

    const clusters = await countInSight(page, '.cluster')
    const reservations = await countInSight(page, '.reservation')

    expect(clusters).toBeGreaterThanOrEqual(expected.clusters)
    expect(reservations).toBeGreaterThanOrEqual(expected.reservations)
    expect(await countInSight(page, '.decision')).toBeGreaterThanOrEqual(5)
  })

  it.each([1920, 1440, 1280, 1024, 768, 390])(
    '%i pixels are wide enough for 48 clusters with long names',
    async (width) => {
      const page = await openCrowd({ viewport: { width, height: 900 } })
      for (const name of SECTIONS) await unfoldIfFolded(page, name)

      expect(await page.evaluate(SIDEWAYS)).toBe(0)
    },
  )
})

describe('the search', () => {
  it.each([
    { what: 'a place', search: 'eu-south', found: ['madrid', 'milan', 'turin'] },
    { what: 'a label', search: 'power=hydro', found: ['oslo'] },
    { what: 'a resource', search: 'gpu', found: ['berlin', 'milan', 'oslo', 'paris'] },
    { what: 'a GPU model', search: 'h100', found: ['oslo'] },
    { what: 'a state', search: 'stale', found: ['dublin'] },
    { what: 'two of them', search: 'GPU eu-south', found: ['milan'] },
  ])('finds clusters by $what', async ({ search, found }) => {
    const page = await openMorning()

    await page.getByRole('searchbox', { name: /Find a cluster/ }).fill(search)

    await expect.poll(() => page.locator('.cluster h3').allTextContents()).toEqual(found)
    await page.getByRole('heading', { name: `Clusters ${found.length} of 8` }).waitFor()
  })

  it('shows the label that it found', async () => {
    const page = await openMorning()

    await page.getByRole('searchbox', { name: /Find a cluster/ }).fill('vision')

    await expect.poll(() => page.locator('.tag').allTextContents()).toEqual(['team=vision'])
  })
})

const SECTIONS = ['Capacity', 'Clusters', 'Reservations', 'Decisions']
const foldOf = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^${name}`) })

async function unfoldIfFolded(page: Page, name: string): Promise<void> {
  const button = foldOf(page, name)
  const isFolded = (await button.count()) > 0 && !(await isUnfolded(button))
  if (isFolded) await button.click()
}

const isUnfolded = async (button: Locator) =>
  (await button.getAttribute('aria-expanded')) === 'true'

describe('on a phone', () => {
  it('everything is in sight at first: sections fold to a heading and a line', async () => {
    const page = await openMorning({ viewport: PHONE })

    await expect(countInSight(page, 'h2')).resolves.toBe(4)
    await expect(countInSight(page, '.tile')).resolves.toBe(3)
    const gists = await page.locator('.gist').allTextContents()
    expect(gists).toEqual([
      expect.stringMatching(/1 stale.*1 cordoned/),
      expect.stringMatching(/3 active.*next ends in \d+:\d\d/),
      expect.stringMatching(/turin 65\.94.*for basel.*ago/),
    ])
    expect(await page.locator('.cluster, .reservation, .decision').count()).toBe(0)
    expect(await accessibilityFindings(page)).toEqual([])
  })

  it('a section that was opened or folded stays so, also after a reload', async () => {
    const page = await openMorning({ viewport: PHONE })

    await foldOf(page, 'Reservations').click()
    await foldOf(page, 'Capacity').click()
    await page.reload()
    await page.locator('.reservation').first().waitFor()

    const states = SECTIONS.map((name) => isUnfolded(foldOf(page, name)))
    expect(await Promise.all(states)).toEqual([false, false, true, false])
    await expect(page.locator('#capacity-body').isVisible()).resolves.toBe(false)
    await expect(page.locator('.gist').first().textContent()).resolves.toBe(
      '168 of 448 cores · 685 of 1,792 GiB · 14 of 30 GPU available',
    )
  })

  it('sections unfold by keyboard, and what was searched for is kept', async () => {
    const page = await openMorning({ viewport: PHONE })
    const clusters = foldOf(page, 'Clusters')

    await clusters.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: /Find a cluster/ }).fill('hydro')
    await clusters.press('Space')
    await page.locator('#clusters-body').waitFor({ state: 'hidden' })
    await clusters.press('Space')

    await expect.poll(() => page.locator('.cluster h3').allTextContents()).toEqual(['oslo'])
  })

  it('with everything open: names, headings, landmarks and contrast', async () => {
    const page = await openCrowd({ viewport: PHONE, colorScheme: 'dark' })

    for (const name of SECTIONS) await unfoldIfFolded(page, name)

    expect(await accessibilityFindings(page)).toEqual([])
  })

  it('a wider screen has nothing to fold', async () => {
    const page = await openMorning({ viewport: PHONE })

    await page.setViewportSize(DESK)

    await page.locator('.fold').first().waitFor({ state: 'detached' })
    await expect(page.locator('.cluster').count()).resolves.toBe(8)
  })
})

describe('an explanation of a request that no node could take', () => {
  const wanted = { cpu: 8_000n, memory: gib(8) }
  const scattered = { ...OSLO, largestFit: { cpu: 1_000n, memory: gib(64) } }

  it('names the largest free node, as a warning', async () => {
    const scene = await openScene()
    await scene.advertise(scattered)
    await scene.reserve({ requester: 'rome', wanted })
    const page = await open(scene.url)

    await page.locator('.decision').first().click()

    await page.getByText('Largest free node: 1 core').waitFor()
    expect(await page.locator('.notice').count()).toBe(1)
    await page.close()
    await scene.close()
  })

  it('on one node says so and is refused', async () => {
    const scene = await openScene()
    await scene.advertise(scattered)
    await scene.reserve({ requester: 'rome', wanted, oneNode: true })
    const page = await open(scene.url)

    await page.locator('.decision.refused').first().click()

    const dialog = page.getByRole('dialog', { name: 'No cluster could take it' })
    await expect.poll(() => dialog.textContent()).toMatch(/on one node for rome/)
    await expect(dialog.textContent()).resolves.toContain('has no node that could take it at once')
    await page.close()
    await scene.close()
  })
})
