import type { Page } from 'playwright-core'

/** What a page does wrong for people who read it by ear, by keyboard or with weak eyes. */
export function accessibilityFindings(page: Page): Promise<string[]> {
  return page.evaluate(FINDINGS)
}

// A script as text: it runs in the page, where this file's types and imports do not exist.
const FINDINGS = `(() => {
  const findings = []
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isShown)

  if (!document.documentElement.lang) findings.push('the page names no language')
  if (!document.title) findings.push('the page has no title')
  for (const landmark of ['header', 'main'])
    if (all(landmark).length !== 1) findings.push('not exactly one ' + landmark)
  if (all('h1').length !== 1) findings.push('not exactly one h1')

  let level = 0
  for (const heading of all('h1, h2, h3, h4')) {
    const next = Number(heading.tagName[1])
    if (next > level + 1) findings.push('heading level skipped at: ' + heading.textContent)
    level = next
  }

  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id)
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) findings.push('twice: #' + id)

  const nameOf = (element) =>
    element.getAttribute('aria-label') ||
    document.getElementById(element.getAttribute('aria-labelledby') || '')?.textContent ||
    [...(element.labels || [])].map((label) => label.textContent).join('') ||
    element.textContent
  for (const element of all('a, button, input, select, dialog, section, [role=img]'))
    if (!nameOf(element)?.trim()) findings.push('no name: ' + element.outerHTML.slice(0, 80))

  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const parse = (colour) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data
    return [r, g, b, a / 255]
  }
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1]
  const groundOf = (element) =>
    element ? over(parse(getComputedStyle(element).backgroundColor), groundOf(element.parentElement)) : [255, 255, 255, 1]
  const light = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    return 0.2126 * R + 0.7152 * G + 0.0722 * B
  }
  for (const element of all('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
    if (!hasText || element.closest('.sr-only, .skip')) continue
    const ground = groundOf(element)
    const [a, b] = [light(over(parse(getComputedStyle(element).color), ground)), light(ground)]
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (ratio < 4.5) findings.push('contrast ' + ratio.toFixed(2) + ': ' + element.textContent.slice(0, 40))
  }
  return [...new Set(findings)]
})()`
