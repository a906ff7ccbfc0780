import type { IClientPublishOptions, MqttClient } from 'mqtt'

/** A server under a flood drops some of its acknowledgements. */
const ACKNOWLEDGED_WITHIN_MS = 30_000

type Client = Pick<
  MqttClient,
  'publishAsync' | 'getLastMessageId' | 'removeOutgoingMessage' | 'disconnecting'
>
type Message = Readonly<{
  topic: string
  payload: Buffer
  properties: IClientPublishOptions['properties']
}>

/**
 * Settles when the server has acknowledged the message, or when it is too late for that: then the
 * message is forgotten, and not sent again. Without an end, each would hold memory and a place.
 */
export async function publishOnce(client: Client, { topic, payload, properties }: Message) {
  const before = client.getLastMessageId()
  const acknowledged = client.publishAsync(topic, payload, { qos: 1, properties })
  const id = client.getLastMessageId()
  const { promise: gone, resolve: giveUp } = Promise.withResolvers<void>()
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    // A client that has ended has forgotten its messages.
    if (client.disconnecting) giveUp()
    // Without an id of its own it still waits for the connection.
    else if (id !== before) client.removeOutgoingMessage(id)
  }, ACKNOWLEDGED_WITHIN_MS).unref()
  try {
    await Promise.race([acknowledged, gone])
  } catch (error) {
    if (!isLate) throw error
  } finally {
    clearTimeout(deadline)
  }
}
