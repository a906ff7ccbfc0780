import { type BrokerFlags, withBroker, withReason } from '../../connection/with-broker.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { reservationLine } from '../../views/reservation-view.ts'

export const define: Define = (command, terminal) => {
  withReason(command)
    .argument('<reservation>', 'id of the reservation')
    .addHelpText('after', examples('bourse activate rsv-42'))
    .action((id: string, flags: BrokerFlags) =>
      withBroker(terminal, flags, async (broker, answer) =>
        answer(await broker.activate(id), reservationLine),
      ),
    )
}
