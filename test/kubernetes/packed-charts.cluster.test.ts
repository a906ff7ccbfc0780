import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from '@bourse/testkit'
import { afterAll, describe, expect, it } from 'vitest'
import { helm, run } from './chart.ts'

const charts = [
  {
    name: 'bourse-broker',
    values: [],
    kinds: [
      'broker.fluidos.eu_clusteradvertisements.yaml',
      'broker.fluidos.eu_historychunks.yaml',
      'broker.fluidos.eu_journalslots.yaml',
      'broker.fluidos.eu_reservations.yaml',
      'broker.fluidos.eu_snapshotchunks.yaml',
    ],
  },
  {
    name: 'bourse-agent',
    values: ['--set=broker.url=https://broker.example:8443'],
    kinds: [
      'liqo.io_advertisements.yaml',
      'liqo.io_providerinstructions.yaml',
      'liqo.io_reservationinstructions.yaml',
      'liqo.io_resourcerequests.yaml',
    ],
  },
] as const

describe.each(charts)(
  'the CRDs of $name, which are a link in a clone',
  ({ name, values, kinds }) => {
    const scratch = mkdtempSync(join(tmpdir(), 'bourse-chart-'))
    afterAll(() => rmSync(scratch, { recursive: true }))

    it('are packed with it, its own and no others', async () => {
      await helm('package', `charts/${name}`, `--destination=${scratch}`, `--version=0.0.0`)

      const { stdout } = await run('tar', ['--list', '--file', join(scratch, `${name}-0.0.0.tgz`)])
      const folder = `${name}/files/crds/`
      const packed = stdout.split('\n').filter((path) => path.startsWith(folder))
      expect(packed.map((path) => path.slice(folder.length)).sort()).toEqual(kinds)
    })

    it('are missed where the link was lost, instead of being left out', async () => {
      const copy = join(scratch, 'copy')
      cpSync(join(repositoryRoot, 'charts', name), copy, { recursive: true })
      rmSync(join(copy, 'files/crds'))

      const rendered = helm('template', name, copy, '--kube-version=1.36.0', ...values)

      await expect(rendered).rejects.toThrow('the chart has no CRDs')
    })
  },
)
