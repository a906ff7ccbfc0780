import type { ConnectionFlags } from '../../connection/settings.ts'
import { withBroker, withReason } from '../../connection/with-broker.ts'
import { type Output, outputOption, show } from '../../terminal/output.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { reservationLine } from '../../views/reservation-view.ts'

type Flags = ConnectionFlags & Readonly<{ output: Output }>

export const define: Define = (command, terminal) => {
  withReason(command)
    .argument('<reservation>', 'id of the reservation')
    .addOption(outputOption())
    .addHelpText('after', examples('bourse activate rsv-42'))
    .action((id: string, flags: Flags) =>
      withBroker(terminal, flags, async (broker) => {
        const reservation = await broker.activate(id)
        const view = reservationLine(reservation)
        await show(terminal, flags.output, { data: reservation, view })
      }),
    )
}
