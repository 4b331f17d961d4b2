import { decodeMessage, type Encoding, encodeMessage, type Message } from "@membus/protocol";
import { headers, type NatsConnection } from "@nats-io/transport-node";

export interface BareReply {
  /** As the bytes and the header of the reply say. */
  readonly encoding: Encoding;
  readonly contentType: string;
  /** `Nats-Service-Error-Code`; "" for a reply that is no error. */
  readonly errorCode: string;
  readonly message: Message;
}

/** Sends bytes as they are, as a client without any of our code would, and reads the reply. */
export async function sendBytes(
  connection: NatsConnection,
  subject: string,
  payload: Uint8Array | string,
  contentType?: string,
): Promise<BareReply> {
  const sent = headers();
  if (contentType !== undefined) sent.set("Content-Type", contentType);
  const options = { timeout: 20_000, ...(contentType === undefined ? {} : { headers: sent }) };
  const { data, headers: received } = await connection.request(subject, payload, options);
  const decoded = decodeMessage(data);
  if (!decoded.ok) throw new Error(`an unreadable reply: ${decoded.text}`);
  return {
    encoding: decoded.encoding,
    contentType: received?.get("Content-Type") ?? "",
    errorCode: received?.get("Nats-Service-Error-Code") ?? "",
    message: decoded.message,
  };
}

/** Sends a request of one agent of the tenant `default`, its type that of the subject, in JSON. */
export async function ask(
  connection: NatsConnection,
  agent: string,
  type: string,
  fields: Message,
): Promise<Message> {
  const subject = `a2e.default.${agent}.${type.replaceAll("/", ".")}`;
  const payload = encodeMessage({ type, ...fields }, "json");
  return (await sendBytes(connection, subject, payload)).message;
}
