import type { ConnectionFlags } from '../connection/settings.ts'
import { withBroker, withConnection } from '../connection/with-broker.ts'
import { type Output, outputOption, show } from '../terminal/output.ts'
import { explanationView } from '../views/ranking-view.ts'
import { type Define, examples } from './verb.ts'

type Flags = ConnectionFlags & Readonly<{ output: Output }>

export const define: Define = (command, terminal) => {
  withConnection(command)
    .argument('<reservation>', 'id of the reservation')
    .addOption(outputOption())
    .addHelpText('after', examples('bourse explain rsv-42', 'bourse explain rsv-42 -o wide'))
    .action((id: string, flags: Flags) =>
      withBroker(terminal, flags, async (broker) => {
        const explanation = await broker.explain(id)
        const view = explanationView(explanation)
        await show(terminal, flags.output, { data: explanation, view })
      }),
    )
}
