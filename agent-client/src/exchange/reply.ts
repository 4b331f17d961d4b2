import {
  CONTENT_TYPE_HEADER,
  decodeMessage,
  ErrorMessageSchema,
  MemoryError,
  type Message,
  parseErrorMessage,
  replyType,
} from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import type { EncodedRequest } from "./request.js";

/** Lists that the client reads. A reply without them is reported as malformed, not as a TypeError. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "memory/store/resp": ["stored", "errors", "receipts"],
  "memory/retrieve/resp": ["entries"],
  "memory/status/resp": ["errors", "receipts"],
};

/**
 * Returns the reply to `request`, including unknown fields.
 *
 * @throws {MemoryError} the error of an `error` reply, or `runtime_error` if this is not a reply to the
 * request.
 */
export function readReply(answer: BusMessage, request: EncodedRequest): Message {
  const decoded = decodeMessage(answer.payload, { contentType: answer.headers[CONTENT_TYPE_HEADER] });
  if (!decoded.ok) throw malformedReply(decoded.text);
  const { message } = decoded;
  if (message.type === "error") throw readError(message);
  if (message.type !== replyType(request.type)) throw malformedReply("unexpected type");
  if (message.req_id !== request.id) throw malformedReply("it belongs to another request");
  for (const name of LISTS[message.type as string] ?? []) {
    if (!Array.isArray(message[name])) throw malformedReply(`it has no list \`${name}\``);
  }
  return message;
}

function readError(message: Message): MemoryError {
  const parsed = ErrorMessageSchema.safeParse(message);
  return parsed.success ? parseErrorMessage(parsed.data) : malformedReply("incomplete error message");
}

export function malformedReply(why: string): MemoryError {
  return new MemoryError("runtime_error", `invalid reply from the host: ${why}`);
}
