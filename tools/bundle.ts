import { readFileSync } from 'node:fs'
import type { BuildOptions, Plugin } from 'esbuild'

/** Files that are found relative to the source; in the bundle they lie side by side. */
const neighbours: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'apps/broker/src/store/replay/explainer.ts': ['./explain-worker.ts', './explain-worker.js'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source text that is replaced.
  'apps/broker/src/store/sqlite/sqlite-store.ts': ['./${name}.ts', './${name}.js'],
  'apps/broker/src/dashboard/pages/page-assets.ts': ['../../../../dashboard/dist', './page'],
  'apps/cli/src/verbs/running/version.ts': ['../../../package.json', './package.json'],
  'apps/cli/src/demo/supervised-broker.ts': ['../main.ts', './bourse.js'],
}

const moveNeighbours: Plugin = {
  name: 'move-neighbours',
  setup(bundler) {
    for (const [path, [from, to]] of Object.entries(neighbours)) {
      const filter = new RegExp(`${path.replaceAll('.', '\\.')}$`)
      bundler.onLoad({ filter }, () => {
        const text = readFileSync(path, 'utf8')
        if (!text.includes(from)) throw new Error(`${path} no longer looks for ${from}`)
        return { contents: text.replace(from, to), loader: 'ts' }
      })
    }
  },
}

/** HTTP/2 is not used here; loading Node's part for it would cost every process two megabytes. */
const withoutHttp2: Plugin = {
  name: 'without-http2',
  setup(bundler) {
    bundler.onLoad({ filter: /undici\/lib\/dispatcher\/client-h2\.js$/ }, () => ({
      contents: "module.exports = () => { throw new Error('HTTP/2 is not part of this bundle') }",
      loader: 'js',
    }))
  },
}

/** zod has its messages in fifty languages; none of them is shown. */
const inEnglish: Plugin = {
  name: 'in-english',
  setup(bundler) {
    bundler.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
      loader: 'js',
      resolveDir: 'node_modules/zod/v4/locales',
    }))
  },
}

/** What `make build` bundles, and how. */
export const bundleOptions = {
  entryPoints: {
    bourse: 'apps/cli/src/main.ts',
    'store-worker': 'apps/broker/src/store/sqlite/store-worker.ts',
    'checkpoint-worker': 'apps/broker/src/store/sqlite/checkpoint-worker.ts',
    'explain-worker': 'apps/broker/src/store/replay/explain-worker.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // V8 keeps the text of what it runs, twice as long if a single letter of it is not ASCII: names and
  // structure stay for stack traces, comments and blanks go, licences lie beside the bundle.
  minifyWhitespace: true,
  legalComments: 'external',
  // Some dependencies are CommonJS and ask for Node's own modules at run time.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  // Loaded only where it is needed, a CommonJS module would have no names; this one is of the other kind.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
  plugins: [moveNeighbours, withoutHttp2, inEnglish],
} satisfies BuildOptions
