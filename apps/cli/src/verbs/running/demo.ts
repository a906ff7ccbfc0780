import { typedCommand } from '../../connection/typed-command.ts'
import { wholeNumber } from '../../request/whole-number.ts'
import { createPaint } from '../../terminal/colours.ts'
import { type Define, examples } from '../../terminal/verb.ts'

type Flags = Readonly<{
  dataDir?: string
  port?: number
  pagePort?: number
  seed: number
  quiet: boolean
}>

/** The generator has a state of 32 bits. */
const seed = wholeNumber(0, 2 ** 31 - 1)
const port = wholeNumber(1, 65_535)

export const define: Define = (command, terminal) => {
  command
    .option('--data-dir <dir>', 'where certificates and the ledger are kept between runs')
    .option('--port <number>', 'port of the REST API (default: 8443, or any if taken)', port)
    .option('--page-port <number>', 'port of the live page (default: 8090, or any if taken)', port)
    .option('--seed <number>', 'the same seed gives the same run', seed, 7)
    .option('--quiet', 'make only the first reservation, and no further requests', false)
    .addHelpText(
      'after',
      examples('bourse demo', 'bourse demo --data-dir ./demo --port 9443 --quiet'),
    )
    .action(async (flags: Flags) => {
      const { runDemo } = await import('../../demo/run-demo.ts')
      const paint = createPaint(terminal.isColourful)
      await runDemo({
        ...(flags.dataDir !== undefined && { dataDir: flags.dataDir }),
        ports: { api: flags.port, page: flags.pagePort },
        seed: flags.seed,
        quiet: flags.quiet,
        program: typedCommand([], {}, terminal),
        print: terminal.out,
        signal: terminal.signal,
        paint: {
          strong: (text) => paint(text, 'bold'),
          faint: (text) => paint(text, 'dim'),
          good: (text) => paint(text, 'green'),
        },
      })
    })
}
