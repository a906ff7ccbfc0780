import type { Explanation, PeeringSession } from '@bourse/contract'
import {
  type Broker,
  type BrokerFlags,
  withBroker,
  withConnection,
} from '../../connection/with-broker.ts'
import type { View } from '../../terminal/output.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { peeringView } from '../../views/peering-view.ts'
import { explanationView } from '../../views/ranking-view.ts'

export const define: Define = (command, terminal) => {
  withConnection(command)
    .argument('<reservation>', 'id of the reservation')
    .addHelpText('after', examples('bourse explain rsv-42', 'bourse explain rsv-42 -o wide'))
    .action((id: string, flags: BrokerFlags) =>
      withBroker(terminal, flags, async (broker, answer) => {
        const explanation = await broker.explain(id)
        const peering = await peeringFor(broker, id)
        const data = { ...explanation, ...(peering && { peering }) }
        await answer(data, () => wholeView(explanation, peering))
      }),
    )
}

/** How the pair of this reservation has come together, if it peers by way of the broker. */
async function peeringFor(broker: Broker, id: string): Promise<PeeringSession | undefined> {
  const { requesterID, targetClusterID: providerID } = await broker.getReservation(id)
  const { items } = await broker.listPeerings({ requesterID, providerID })
  return items[0]
}

function wholeView(explanation: Explanation, peering: PeeringSession | undefined): View {
  const decision = explanationView(explanation)
  return (look) =>
    [decision, ...(peering ? [peeringView(peering)] : [])].map((view) => view(look)).join('\n\n')
}
