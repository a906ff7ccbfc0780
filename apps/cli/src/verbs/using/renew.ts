import { type BrokerFlags, withBroker, withReason } from '../../connection/with-broker.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { reservationLine } from '../../views/reservation-view.ts'

type Flags = BrokerFlags & Readonly<{ duration: string }>

export const define: Define = (command, terminal) => {
  withReason(command)
    .argument('<reservation>', 'id of the reservation')
    .requiredOption('--duration <duration>', 'how long from now, such as 2h')
    .addHelpText('after', examples('bourse renew rsv-42 --duration 2h'))
    .action((id: string, flags: Flags) =>
      withBroker(terminal, flags, async (broker, answer) =>
        answer(await broker.renew(id, flags.duration), reservationLine),
      ),
    )
}
