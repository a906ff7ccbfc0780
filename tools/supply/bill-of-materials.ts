import type { ShippedPackage } from './shipped-packages.ts'

/** What we ship and of what it is made, as CycloneDX 1.6; the same input gives the same text. */
export function billOfMaterials(version: string, shipped: readonly ShippedPackage[]) {
  const bourse = `pkg:generic/bourse@${version}`
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': bourse,
        name: 'bourse',
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        purl: bourse,
      },
    },
    components: shipped.map(component),
    dependencies: [{ ref: bourse, dependsOn: shipped.map(packageUrl) }],
  }
}

function component(shipped: ShippedPackage) {
  const { name, version, license } = shipped
  const [group, bare] = name.startsWith('@') ? name.split('/') : [undefined, name]
  return {
    type: 'library',
    'bom-ref': packageUrl(shipped),
    ...(group !== undefined && { group }),
    name: bare,
    version,
    hashes: [hash(shipped)],
    licenses: [/ (OR|AND) /.test(license) ? { expression: license } : { license: { id: license } }],
    purl: packageUrl(shipped),
  }
}

function packageUrl({ name, version }: ShippedPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function hash({ name, integrity }: ShippedPackage) {
  const [algorithm, digest = ''] = integrity.split('-')
  if (algorithm !== 'sha512') throw new Error(`${name} is locked by ${algorithm}, not by sha512.`)
  return { alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }
}
