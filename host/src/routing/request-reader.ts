import {
  CONTENT_TYPE_HEADER,
  type DecodedRequest,
  decodeMessage,
  type Encoding,
  isMemoryError,
  isRequestType,
  LIMITS,
  MemoryError,
  type Message,
  parseRequest,
  parseRequestSubject,
  type RequestAddress,
  readableId,
} from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import { restrictToSubjectTier } from "../operations/index.js";
import { failure, type Outcome, success } from "../outcome.js";
import type { Sender } from "../rates/index.js";
import { RecentMap } from "../recent-map.js";

/** Readable parts of a message: enough to answer it even if it is invalid. */
interface ReadMessage {
  readonly encoding: Encoding;
  readonly reqId: string | null;
  /** Sender and request type from the subject. Undefined if the subject is not a request subject. */
  readonly address: RequestAddress | undefined;
  readonly request: Outcome<DecodedRequest>;
}

/**
 * Reads a message. Only the subject identifies the caller. The type in the payload must match it (SUBJ-4,
 * ENV-2).
 */
export function readMessage(message: BusMessage, address: Outcome<RequestAddress>): ReadMessage {
  const decoded = decodeMessage(message.payload, {
    contentType: message.headers[CONTENT_TYPE_HEADER],
    nestedMax: LIMITS.nestedValues,
  });
  const { encoding } = decoded;
  const from = address.ok ? address.value : undefined;
  if (!decoded.ok) {
    const error = new MemoryError(decoded.code, decoded.text, decoded.detail);
    return { encoding, reqId: decoded.reqId, address: from, request: failure(error) };
  }
  const request = address.ok ? toOutcome(() => requestOf(decoded.message, address.value)) : address;
  return { encoding, reqId: readableId(decoded.message), address: from, request };
}

function requestOf(message: Message, address: RequestAddress): DecodedRequest {
  if (isRequestType(message.type) && message.type !== address.type) {
    const text = `\`type\` is ${message.type}, but the subject is for ${address.type}`;
    throw new MemoryError("invalid_message", text, { path: "type" });
  }
  return restrictToSubjectTier(parseRequest(message), address.tier);
}

function toOutcome<T>(read: () => T): Outcome<T> {
  try {
    return success(read());
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return failure(error);
  }
}

const SUBJECTS_REMEMBERED = 4_096;

/** Parses request subjects and caches the results, because an agent sends many requests on few subjects. */
export class SubjectCache {
  readonly #prefix: string;
  readonly #known = new RecentMap<string, Outcome<RequestAddress>>(SUBJECTS_REMEMBERED);

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Returns `invalid_message` if the subject is not a request subject. */
  addressOf(subject: string): Outcome<RequestAddress> {
    const known = this.#known.get(subject);
    if (known !== undefined) return known;
    const address = toOutcome(() => parseRequestSubject(subject, this.#prefix));
    if (address.ok) this.#known.set(subject, address);
    return address;
  }

  /** Returns the sender for the limits, also for a subject that is not a request subject. */
  senderOf(subject: string, address: Outcome<RequestAddress>): Sender {
    if (address.ok) return address.value;
    const [tenant = "", agent = ""] = subject.slice(this.#prefix.length + 1).split(".", 2);
    return { tenant, agent };
  }
}
