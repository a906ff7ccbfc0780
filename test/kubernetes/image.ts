import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Child, repositoryRoot, startChild } from '@bourse/testkit'
import { run } from './chart.ts'

/** The image that the Dockerfile describes, made without a container engine. */
export type Image = Readonly<{
  /** Runs it as a pod would: user 65532, nothing writable but one empty directory. */
  start(pod: Pod): Child
  dispose(): void
}>

type Pod = Readonly<{
  /** Instead of what the image does by itself. */
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** What is mounted read-only, by its path. */
  files?: Readonly<Record<string, string>>
  /** Where there is room to write, as in an emptyDir. */
  emptyDir?: string
}>

const linesOf = (file: string) => readFileSync(join(repositoryRoot, file), 'utf8').split('\n')

/** What a line of the Dockerfile gives, such as `["broker"]` for CMD. */
function instruction(name: string): string {
  // The last stage is the image.
  const found = linesOf('Dockerfile').findLast((line) => line.startsWith(`${name} `))
  if (found === undefined) throw new Error(`The Dockerfile has no ${name}.`)
  return found.slice(name.length + 1)
}

/** Builds where nothing is but what .dockerignore lets through, and the packages of this tree. */
export async function buildBundle(context: string): Promise<void> {
  copyContext(context)
  symlinkSync(join(repositoryRoot, 'node_modules'), join(context, 'node_modules'))
  // The packages are ours: nothing may install them anew while tests run.
  await run('make', ['build', '--old-file=node_modules/.installed'], { cwd: context })
}

export async function buildImage(): Promise<Image> {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-image-'))
  const context = join(dir, 'src')
  await buildBundle(context)
  const root = join(dir, 'root')
  mkdirSync(root)
  let pods = 0

  return {
    start({ args = wordsOf('CMD'), env = {}, files = {}, emptyDir = '/tmp' }) {
      const mounts = join(dir, `mounts-${++pods}`)
      mkdirSync(mounts)
      for (const [path, text] of Object.entries(files)) write(join(mounts, path), text)
      const outside = { ROOT: root, NODE: process.execPath, MOUNTS: mounts, EMPTY_DIR: emptyDir }
      const given = Object.entries(env).map(([name, value]) => `${name}=${value}`)
      const command = [...enter(root), ...wordsOf('ENTRYPOINT'), ...args]
      const pod = ['unshare', '--user', '--mount', '--map-root-user', 'sh', '-euc', POD, 'pod']
      const all = [...pod, ...instruction('ENV').split(' '), ...given, ...command]
      return startChild(all, { cwd: context, env: outside })
    },
    dispose: () => rmSync(dir, { recursive: true }),
  }
}

const wordsOf = (name: string) => JSON.parse(instruction(name)) as string[]

function enter(root: string): string[] {
  const [user, group] = instruction('USER').split(':')
  const who = ['unshare', '--user', `--map-user=${user}`, `--map-group=${group}`]
  return [...who, `--root=${root}`, `--wd=${instruction('WORKDIR')}`]
}

/**
 * A user namespace gives the rights to mount, so that the test needs none. What is written to the
 * image's own root is refused, as by `readOnlyRootFilesystem`.
 */
const POD = `
  mount -t tmpfs -o mode=755 image "$ROOT"
  tools/gather-runtime "$NODE" "$ROOT"
  cp -r dist "$ROOT/app"
  cp -r "$MOUNTS/." "$ROOT"
  mkdir -p "$ROOT/proc" "$ROOT/dev" "$ROOT$EMPTY_DIR"
  mount --rbind /proc "$ROOT/proc"
  mount --rbind /dev "$ROOT/dev"
  mount -t tmpfs data "$ROOT$EMPTY_DIR"
  mount -o remount,ro image "$ROOT"
  exec env -i "$@"
`

function copyContext(to: string): void {
  const rules = linesOf('.dockerignore').filter((line) => line !== '' && !line.startsWith('#'))
  const kept = rules.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const dropped = rules.filter((line) => line.startsWith('**/')).map((line) => line.slice(3))
  for (const path of kept)
    cpSync(join(repositoryRoot, path), join(to, path), {
      recursive: true,
      preserveTimestamps: true,
      filter: (one) => !dropped.includes(basename(one)),
    })
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
