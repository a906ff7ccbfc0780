import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** Where `vite build` leaves the page, seen from here. */
export const BUILT_PAGE_DIR = fileURLToPath(new URL('../../../../dashboard/dist', import.meta.url))

export type Asset = Readonly<{
  body: Buffer
  gzipped: Buffer
  type: string
  cacheControl: string
  etag: string
}>

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}
const ASSETS_MAX = 200

/**
 * Reads the built page once, by URL path. Only what was read can ever be served, so no request can
 * climb out of the directory. Undefined: the page is not built.
 */
export async function readPageAssets(dir: string): Promise<Map<string, Asset> | undefined> {
  if (!existsSync(join(dir, 'index.html'))) return undefined
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && TYPES[extname(entry.name)])
  if (files.length > ASSETS_MAX)
    throw new Error(`${dir} has ${files.length} files: is it really the built page?`)
  const assets = new Map<string, Asset>()
  for (const file of files) {
    const path = join(file.parentPath, file.name)
    const urlPath = `/${relative(dir, path).split(sep).join('/')}`
    assets.set(urlPath, toAsset(urlPath, await readFile(path)))
  }
  return assets
}

function toAsset(urlPath: string, body: Buffer): Asset {
  // Vite puts a content hash into every name under /assets/: such a file never changes.
  const isHashed = urlPath.startsWith('/assets/')
  return {
    body,
    gzipped: gzipSync(body),
    type: TYPES[extname(urlPath)] ?? 'application/octet-stream',
    cacheControl: isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  }
}
