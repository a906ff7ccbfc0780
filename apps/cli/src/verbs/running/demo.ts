import { wholeNumber } from '../../request/whole-number.ts'
import { createPaint } from '../../terminal/colours.ts'
import { type Define, examples } from '../../terminal/verb.ts'

type Flags = Readonly<{ dataDir?: string; seed: number; quiet: boolean }>

/** The generator has a state of 32 bits. */
const seed = wholeNumber(0, 2 ** 31 - 1)

export const define: Define = (command, terminal) => {
  command
    .option('--data-dir <dir>', 'where certificates and the ledger are kept between runs')
    .option('--seed <number>', 'the same seed gives the same run', seed, 7)
    .option('--quiet', 'make only the first reservation, and no further requests', false)
    .addHelpText('after', examples('bourse demo', 'bourse demo --data-dir ./demo --quiet'))
    .action(async (flags: Flags) => {
      const { runDemo } = await import('../../demo/run-demo.ts')
      const paint = createPaint(terminal.isColourful)
      await runDemo({
        ...(flags.dataDir !== undefined && { dataDir: flags.dataDir }),
        seed: flags.seed,
        quiet: flags.quiet,
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
