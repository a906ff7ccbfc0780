import { type Caller, readCaller } from '../connection/caller.ts'
import type { ConnectionFlags } from '../connection/settings.ts'
import type { Broker } from '../connection/with-broker.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Asked = ConnectionFlags & Readonly<{ requester?: string }>

/** Tells an operator for whom capacity was reserved; a cluster always asks for itself. */
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
    terminal.note(`No cluster ${requester} has advertised here. Check --requester.`)
}

function heldForItself({ id }: Caller): string {
  return `This is reserved for ${id} itself; to reserve for a cluster, use --requester.`
}

/** Only for a hint: any other failure of this question is ignored. */
function isUnheardOf(broker: Pick<Broker, 'getCluster'>, clusterId: string): Promise<boolean> {
  return broker.getCluster(clusterId).then(
    () => false,
    (fault: Error) => 'status' in fault && fault.status === 404,
  )
}
