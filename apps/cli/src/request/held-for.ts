import { type Caller, readCaller } from '../connection/caller.ts'
import type { ConnectionFlags } from '../connection/settings.ts'
import type { Broker } from '../connection/with-broker.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Asked = ConnectionFlags & Readonly<{ requester?: string }>

/** What an operator may have meant otherwise: a cluster always asks for itself. */
export async function noteForWhom(
  broker: Pick<Broker, 'getCluster'>,
  asked: Asked,
  terminal: Terminal,
): Promise<void> {
  const caller = await readCaller(asked, terminal)
  if (!caller.isOperator) return
  const { requester } = asked
  if (requester === undefined) terminal.note(heldForItself(caller))
  else if (await isUnheardOf(broker, requester))
    terminal.note(`No cluster ${requester} has advertised here: is --requester what you meant?`)
}

function heldForItself({ id }: Caller): string {
  return `This is held for ${id} itself: --requester names a cluster.`
}

/** Only a hint: whoever cannot be asked about now is not worth a failure. */
function isUnheardOf(broker: Pick<Broker, 'getCluster'>, clusterId: string): Promise<boolean> {
  return broker.getCluster(clusterId).then(
    () => false,
    (fault: Error) => 'status' in fault && fault.status === 404,
  )
}
