import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

// node tools/release.ts HOMEPAGE: packs dist/, and writes the manifest by which krew installs it.
const OUT = 'release'
const [homepage = ''] = process.argv.slice(2)
const { version } = JSON.parse(readFileSync('dist/package.json', 'utf8'))
const archive = `${OUT}/bourse-v${version}.tar.gz`

mkdirSync(OUT, { recursive: true })
// The same files make the same archive on every machine, at every time.
execFileSync('tar', [
  ...['--create', '--file', archive, '--use-compress-program=gzip --no-name'],
  ...['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'],
  ...['--directory=dist', '.'],
])
const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex')
const manifest = readFileSync('deploy/krew/bourse.yaml', 'utf8')
  .replace(/^#.*\n/, '')
  .replaceAll('HOMEPAGE', homepage)
  .replaceAll('VERSION', version)
  .replaceAll('SHA256', sha256)
writeFileSync(`${OUT}/bourse.yaml`, manifest)
console.log(`Wrote ${archive} and ${OUT}/bourse.yaml.`)
