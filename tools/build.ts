/*
 * `make build` writes what is shipped to dist/.
 *
 *   bundle.ts         how esbuild bundles the command line and the workers of the broker
 *   supply/           packages of others: the lock, their licences, the bill of materials
 *   write-docs.ts     `make docs`: the reference follows from the sources, by reference/
 *   client/           `make client`: @bourse/client as others install it
 *   release.ts        `make release`: the archive, and the manifest by which krew installs it
 *   render-config.ts  `make manifests`: config/ follows from the charts
 *   build-kubernetes, build-liqo, install-*: programs that tests need
 *   gather-runtime, uninstall-kinds: for the image, and for `make uninstall`
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { bundleOptions } from './bundle.ts'
import { billOfMaterials } from './supply/bill-of-materials.ts'
import { readLock } from './supply/lock.ts'
import { shippedPackages } from './supply/shipped-packages.ts'
import { thirdPartyNotices } from './supply/third-party-notices.ts'

const { outdir: out } = bundleOptions

rmSync(out, { recursive: true, force: true })
const { metafile } = await build({ ...bundleOptions, metafile: true })
cpSync('apps/dashboard/dist', `${out}/page`, { recursive: true })
cpSync('apps/cli/package.json', `${out}/package.json`)
cpSync('LICENSE', `${out}/LICENSE`)
// Copies of the one launcher: krew unpacks no links.
for (const name of ['bourse', 'kubectl-bourse']) cpSync('bin/bourse', `${out}/bin/${name}`)

const lock = readLock()
const shipped = shippedPackages(lock, Object.keys(metafile.inputs))
const bill = billOfMaterials(lock.version, shipped)
writeFileSync(`${out}/bourse.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`)
writeFileSync(`${out}/THIRD-PARTY-NOTICES.txt`, thirdPartyNotices(shipped))
console.log(
  `Built ${out}/ with ${shipped.length} packages of others (bourse.cdx.json lists them): run it with \`${out}/bin/bourse\`.`,
)
