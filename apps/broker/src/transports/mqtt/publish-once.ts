import type { IClientPublishOptions, MqttClient } from 'mqtt'

/** A server under a flood drops some of its acknowledgements. */
const ACKNOWLEDGED_WITHIN_MS = 30_000

type Client = Pick<MqttClient, 'publishAsync' | 'getLastMessageId' | 'removeOutgoingMessage'>
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
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    // Without an id of its own it still waits for the connection.
    if (id !== before) client.removeOutgoingMessage(id)
  }, ACKNOWLEDGED_WITHIN_MS).unref()
  try {
    await acknowledged
  } catch (error) {
    if (!isLate) throw error
  } finally {
    clearTimeout(deadline)
  }
}
