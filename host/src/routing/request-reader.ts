import {
  type BusMessage,
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
import { inTierOfSubject } from "../operations/index.js";
import { failure, type Outcome, success } from "../outcome.js";
import type { Sender } from "../rates/index.js";
import { RecentMap } from "../recent-map.js";

/** What could be read of a message: enough to answer it, whatever is wrong with it. */
interface ReadMessage {
  readonly encoding: Encoding;
  readonly reqId: string | null;
  /** Who sends what, as the subject says; undefined for a subject that is no request's. */
  readonly address: RequestAddress | undefined;
  readonly request: Outcome<DecodedRequest>;
}

/** Reads a message. The subject alone says whose it is; the payload only has to agree with its type (SUBJ-4, ENV-2). */
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
  const request = address.ok ? caught(() => requestOf(decoded.message, address.value)) : address;
  return { encoding, reqId: readableId(decoded.message), address: from, request };
}

function requestOf(message: Message, address: RequestAddress): DecodedRequest {
  if (isRequestType(message.type) && message.type !== address.type) {
    const text = `\`type\` is ${message.type}, but the subject's is ${address.type}`;
    throw new MemoryError("invalid_message", text, { path: "type" });
  }
  return inTierOfSubject(parseRequest(message), address.tier);
}

function caught<T>(read: () => T): Outcome<T> {
  try {
    return success(read());
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return failure(error);
  }
}

const SUBJECTS_KEPT = 4_096;

/** Reads the subjects of requests, and remembers them: an agent sends many requests on few subjects. */
export class AddressBook {
  readonly #prefix: string;
  readonly #known = new RecentMap<string, Outcome<RequestAddress>>(SUBJECTS_KEPT);

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** `invalid_message` for a subject that is no request's. */
  addressOf(subject: string): Outcome<RequestAddress> {
    const known = this.#known.get(subject);
    if (known !== undefined) return known;
    const address = caught(() => parseRequestSubject(subject, this.#prefix));
    if (address.ok) this.#known.set(subject, address);
    return address;
  }

  /** Whose places and rates a message takes, also on a subject that is no request's. */
  senderOf(subject: string, address: Outcome<RequestAddress>): Sender {
    if (address.ok) return address.value;
    const [tenant = "", agent = ""] = subject.slice(this.#prefix.length + 1).split(".", 2);
    return { tenant, agent };
  }
}
