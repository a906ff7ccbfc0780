import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OPERATOR_ORGANIZATION } from '@bourse/contract/headers'
import {
  type KeyPairPem,
  type KeyType,
  type Leaf,
  makeLeaf,
  makeRevocationList,
  makeRoot,
  type Validity,
} from '@bourse/pki'
import { shellWord } from '../connection/typed-command.ts'
import { prepareDirectory, replaceFile } from '../files/directory.ts'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import { addressesIn, checkAddresses, checkName } from './certificate-names.ts'
import { createRecordFile, type IssuedRecord, type Role } from './issued-records.ts'

type Order = Readonly<{
  name: string
  role: Role
  dns?: readonly string[]
  ip?: readonly string[]
  days: number
  /** Where tls.crt, tls.key and ca.crt go; default: a folder of that name beside the CA. */
  out?: string
  /** Replace what is there, as a renewal does. */
  replace?: boolean
}>

export type Issued = Readonly<{
  record: IssuedRecord
  out: string
  /** The host names and addresses that a server's certificate is for. */
  names: readonly string[]
  /** It expires with its authority, before the days that were asked for. */
  isCutShort: boolean
}>

export type Authority = {
  issue(order: Order): Promise<Issued>
  /** Takes a name (all its certificates) or one serial number. */
  revoke(nameOrSerial: string): Promise<{ revoked: readonly IssuedRecord[]; crlPath: string }>
  list(): readonly IssuedRecord[]
}

const KEY_MODE = 0o600
const DAY_MS = 86_400_000
const LOOPBACK = { dns: ['localhost'], ip: ['127.0.0.1', '::1'] }

export async function initAuthority(
  dir: string,
  options: { name: string; keyType: KeyType; days: number; now: Date },
): Promise<void> {
  if (existsSync(join(dir, 'ca.key')))
    throw new CliError(
      ExitCode.usage,
      `${resolve(dir)} already holds a certificate authority.`,
      `Use it with \`bourse ca issue NAME --dir ${shellWord(dir)}\`, or choose another --dir.`,
    )
  prepareDirectory(dir)
  const { name, keyType, days, now } = options
  const root = await makeRoot(name, keyType, { from: now, days })
  // `wx`: a key that another process wrote meanwhile stays.
  writeFileSync(join(dir, 'ca.key'), root.key, { mode: KEY_MODE, flag: 'wx' })
  writeFileSync(join(dir, 'ca.crt'), root.certificate)
}

type Kept = Readonly<{
  /** Keeps what was written to the directory elsewhere, too: before a certificate exists. */
  save?: () => Promise<void>
  /** How the command line is told of it. */
  flag?: string
}>

export function openAuthority(
  dir: string,
  now: () => Date,
  { save = async () => {}, flag = `--dir ${shellWord(dir)}` }: Kept = {},
): Authority {
  const records = createRecordFile(dir)
  const crlPath = join(dir, 'crl.pem')

  async function issue(order: Order): Promise<Issued> {
    const out = order.out ?? join(dir, order.name)
    const leaf = leafOf({ ...order, ...addressesFor(order, out) })
    const root = readRoot(dir)
    refuseToOverwrite(out, order.replace ?? false)
    const from = now()
    const { validity, isCutShort } = within(root, { from, days: order.days })
    const made = await makeLeaf(root, leaf, { keyType: keyTypeOf(root), validity })
    const record: IssuedRecord = {
      serial: made.serial,
      name: order.name,
      role: order.role,
      issuedAt: from.toISOString(),
      expiresAt: new X509Certificate(made.certificate).validToDate.toISOString(),
    }
    // Recorded before it exists: a certificate without a record could never be revoked.
    records.write([...records.read(), record])
    await save()
    writeBundle(out, made, root.certificate)
    if (existsSync(crlPath)) replaceFile(join(out, 'crl.pem'), readFileSync(crlPath, 'utf8'))
    return { record, out, names: [...(leaf.dns ?? []), ...(leaf.ip ?? [])], isCutShort }
  }

  async function revoke(nameOrSerial: string) {
    const root = readRoot(dir)
    const at = now().toISOString()
    const all = records.read()
    const isMeant = (one: IssuedRecord) => one.name === nameOrSerial || one.serial === nameOrSerial
    const revoked = all.filter((one) => isMeant(one) && one.revokedAt === undefined)
    if (!all.some(isMeant))
      throw new CliError(
        ExitCode.notFound,
        `No certificate was issued for ${nameOrSerial} here.`,
        `\`bourse ca list ${flag}\` shows names and serial numbers.`,
      )
    const updated = all.map((one) => (revoked.includes(one) ? { ...one, revokedAt: at } : one))
    records.write(updated)
    const entries = updated.flatMap(({ serial, revokedAt }) =>
      revokedAt === undefined ? [] : [{ serial, at: new Date(revokedAt) }],
    )
    replaceFile(crlPath, await makeRevocationList(root, entries, now()))
    await save()
    return { revoked, crlPath }
  }

  return { issue, revoke, list: () => records.read() }
}

function leafOf({ name, role, dns = [], ip = [] }: Order): Leaf {
  checkName(name)
  checkAddresses(dns, ip)
  switch (role) {
    case 'server':
      return {
        commonName: name,
        usages: ['server'],
        ...withLoopback(dns.length > 0 ? dns : [name], ip),
      }
    case 'operator':
      return { commonName: name, usages: ['client'], organization: OPERATOR_ORGANIZATION }
    case 'cluster':
      return { commonName: name, usages: ['client'] }
  }
}

/** The command line calls the broker on its own machine by default. */
function withLoopback(dns: readonly string[], ip: readonly string[]) {
  return { dns: [...new Set([...dns, ...LOOPBACK.dns])], ip: [...new Set([...ip, ...LOOPBACK.ip])] }
}

/** A renewal that names nothing else is for the same names as what it replaces. */
function addressesFor({ role, dns, ip, replace }: Order, out: string): Pick<Order, 'dns' | 'ip'> {
  if (role !== 'server' || dns || ip || !replace) return {}
  return addressesIn(join(out, 'tls.crt'))
}

/** No certificate is valid after its authority has expired, so none claims to be. */
function within(root: KeyPairPem, { from, days }: Validity) {
  const left = new X509Certificate(root.certificate).validToDate.getTime() - from.getTime()
  if (left <= 0)
    throw new CliError(
      ExitCode.fault,
      'The certificate authority has expired.',
      'Make a new one with `bourse ca init --dir DIR`, and issue new certificates with it.',
    )
  const isCutShort = left < days * DAY_MS
  return { validity: { from, days: isCutShort ? left / DAY_MS : days }, isCutShort }
}

function readRoot(dir: string): KeyPairPem {
  if (!existsSync(join(dir, 'ca.key')))
    throw new CliError(
      ExitCode.notFound,
      `There is no certificate authority in ${resolve(dir)}.`,
      `Make one with \`bourse ca init --dir ${shellWord(dir)}\`, or name its directory with --dir.`,
    )
  return {
    certificate: readFileSync(join(dir, 'ca.crt'), 'utf8'),
    key: readFileSync(join(dir, 'ca.key'), 'utf8'),
  }
}

function keyTypeOf(root: KeyPairPem): KeyType {
  return createPrivateKey(root.key).asymmetricKeyType === 'rsa' ? 'rsa' : 'ec'
}

function refuseToOverwrite(out: string, replace: boolean): void {
  if (replace || !['tls.key', 'tls.crt'].some((name) => existsSync(join(out, name)))) return
  throw new CliError(
    ExitCode.usage,
    `${resolve(out)} already holds a certificate.`,
    'Choose another directory with --out, or replace it with --force.',
  )
}

function writeBundle(out: string, made: KeyPairPem, ca: string): void {
  prepareDirectory(out)
  replaceFile(join(out, 'ca.crt'), ca)
  replaceFile(join(out, 'tls.key'), made.key, KEY_MODE)
  replaceFile(join(out, 'tls.crt'), made.certificate)
}
