import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repositoryRoot } from '@bourse/testkit'
import { describe, expect, it } from 'vitest'
import { aChart, helmPath, here, run } from './chart.ts'

/** What tells people to install a chart. */
const documents = [
  'README.md',
  'docs/installation.md',
  'docs/getting-started.md',
  'charts/bourse-broker/README.md',
  'charts/bourse-agent/README.md',
]
const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
const DEFAULT = `bourse:${version}`

describe.each(documents)('the helm commands of %s', (document) => {
  const text = readFileSync(join(repositoryRoot, document), 'utf8')
  const commands = [...text.matchAll(/^helm install (?:.*\\\n)*.*$/gm)].map(([command]) => command)

  it('render as they are written', async () => {
    expect(commands.length).toBeGreaterThan(0)
    for (const command of commands) expect(await imagesOf(command)).toHaveLength(1)
  })

  it('ask for an image that a step before them makes, here or in the guide they name', async () => {
    const images = new Set((await Promise.all(commands.map(imagesOf))).flat())
    const guide = text.includes('installation.md#in-kubernetes') ? readGuide() : ''
    const made = [...`${text}${guide}`.matchAll(/^make image .*IMAGE=(\S+)/gm)].map(
      ([, name]) => name,
    )
    const known = [...made, ...(text.includes('`make image`') ? [DEFAULT] : [])]

    expect([...images].filter((image) => !known.includes(image))).toEqual([])
  })
})

it.each([
  { name: 'bourse-broker', values: [] },
  { name: 'bourse-agent', values: ['--set=broker.url=https://broker.example:8443'] },
])('$name asks for the image that make image makes', async ({ name, values }) => {
  const digest = `sha256:${'0'.repeat(64)}`
  const { stdout } = await run('make', ['-n', 'image', `NODE_DIGEST=${digest}`], here)
  const rendered = await aChart(name).template(...values)

  expect(stdout).toContain(`--tag ${DEFAULT} .`)
  expect(imagesIn(rendered)).toEqual([DEFAULT])
})

const readGuide = () => readFileSync(join(repositoryRoot, 'docs/installation.md'), 'utf8')

async function imagesOf(command: string): Promise<string[]> {
  const PATH = `${dirname(await helmPath())}:${process.env.PATH}`
  const rendered = command.replace('helm install', 'helm template --kube-version=1.36.0')
  const { stdout } = await run('/bin/sh', ['-c', rendered], {
    ...here,
    env: { ...process.env, PATH },
  })
  return imagesIn(stdout)
}

/** Of pods that run at once; the agent's placeholders come later. */
function imagesIn(manifests: string): string[] {
  const images = [...manifests.matchAll(/^ +image: "?([^"\s]+)"?$/gm)]
  return [...new Set(images.map(([, image = '']) => image))]
}
