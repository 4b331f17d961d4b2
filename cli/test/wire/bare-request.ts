import { decodeMessage, type Encoding, encodeMessage, type Message } from "@membus/protocol";
import { headers, type NatsConnection } from "@nats-io/transport-node";

export interface BareReply {
  /** Encoding of the reply, from its bytes and header. */
  readonly encoding: Encoding;
  readonly contentType: string;
  /** `Nats-Service-Error-Code`, or "" for a reply that is not an error. */
  readonly errorCode: string;
  readonly message: Message;
}

/** Sends bytes unchanged, without membus code, and reads the reply. */
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

/** Sends a JSON request of an agent of the tenant `default`. The type follows from the subject. */
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
