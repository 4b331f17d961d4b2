import {
  type BusMessage,
  CONTENT_TYPE_HEADER,
  decodeMessage,
  ErrorMessageSchema,
  MemoryError,
  type Message,
  parseErrorMessage,
  replyType,
} from "@membus/protocol";
import type { EncodedRequest } from "./request.js";

/** Lists that the client reads itself: a host that leaves them out must not show as a TypeError here. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "memory/store/resp": ["stored", "errors", "receipts"],
  "memory/retrieve/resp": ["entries"],
  "memory/status/resp": ["errors", "receipts"],
};

/**
 * The reply to `request`. Fields that this version does not know stay in it.
 * @throws {MemoryError} the one that an `error` reply holds; `runtime_error` for what is not a reply to this request.
 */
export function readReply(answer: BusMessage, request: EncodedRequest): Message {
  const decoded = decodeMessage(answer.payload, { contentType: answer.headers[CONTENT_TYPE_HEADER] });
  if (!decoded.ok) throw malformed(decoded.text);
  const { message } = decoded;
  if (message.type === "error") throw readError(message);
  if (message.type !== replyType(request.type)) throw malformed("it is of another type");
  if (message.req_id !== request.id) throw malformed("it answers another request");
  for (const name of LISTS[message.type as string] ?? []) {
    if (!Array.isArray(message[name])) throw malformed(`it has no list \`${name}\``);
  }
  return message;
}

function readError(message: Message): MemoryError {
  const parsed = ErrorMessageSchema.safeParse(message);
  return parsed.success ? parseErrorMessage(parsed.data) : malformed("it is no complete error");
}

export function malformed(why: string): MemoryError {
  return new MemoryError("runtime_error", `the host's reply cannot be read: ${why}`);
}
