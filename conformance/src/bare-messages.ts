import { type ErrorCode, isMemoryError, type Message } from "@membus/protocol";
import type { HostContext, SendOptions, WireReply } from "./context.js";
import { newRequestId } from "./request-id.js";

/** Shorter than a check may take, so that the check says what was not answered. */
const ANSWER_WITHIN_MS = 3_000;

export type Operation = "store" | "retrieve" | "forget" | "status" | "ping";

const REPLY_TYPES: Readonly<Record<Operation, string>> = {
  store: "memory/store/resp",
  retrieve: "memory/retrieve/resp",
  forget: "memory/forget/resp",
  status: "memory/status/resp",
  ping: "pong",
};

export const OPERATIONS = Object.keys(REPLY_TYPES) as readonly Operation[];

const SELECTING: readonly Operation[] = ["store", "retrieve", "forget"];

/** Fields of a request in the check's own namespace, with an id of its own; `fields` over them. */
export function request(t: HostContext, operation: Operation, fields: Readonly<Message> = {}): Message {
  const type = operation === "ping" ? "ping" : `memory/${operation}/req`;
  const namespace = SELECTING.includes(operation) ? { namespace: t.caller.namespace } : {};
  return { type, id: newRequestId(), ...namespace, ...fields };
}

/**
 * A request of each operation that is fine, and changes nothing but what it stores itself. The status is of the store
 * `storedId`; without one it is known to nobody.
 */
export function oneOfEach(t: HostContext, storedId = newRequestId()): Readonly<Record<Operation, Message>> {
  return {
    store: { entries: [t.entry()] },
    retrieve: { tier: t.tier },
    forget: { tier: t.tier, tags: ["of-nothing"] },
    status: { request_id: storedId },
    ping: {},
  };
}

const AT_ONCE = 8;

/** Does the same for many, some at once. Throws what came of the first of them, in their order, that failed. */
export async function forEachOf<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const results = await Promise.allSettled(items.slice(from, from + AT_ONCE).map(work));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }
}

/** The reply to bytes or fields as given, whatever it says. That none comes is an expectation that does not hold. */
export async function answer(
  t: HostContext,
  what: string,
  operation: Operation,
  sent: Readonly<Message> | Uint8Array | string,
  options: SendOptions = {},
): Promise<WireReply> {
  const given = { timeoutMs: ANSWER_WITHIN_MS, ...options };
  const bytes = typeof sent === "string" ? Buffer.from(sent, "utf8") : sent;
  const exchange =
    bytes instanceof Uint8Array
      ? t.sendBytes(operation, bytes, given)
      : t.send(operation, bytes as Message, given);
  const reply = await exchange.catch((error: unknown) => {
    if (isMemoryError(error)) return error.message;
    throw error;
  });
  t.expect.holds(typeof reply !== "string", `the reply to ${what}`, reply, "one");
  return reply as WireReply;
}

/** The reply to what is allowed: of the operation's type, and so no error. */
export async function accepted(
  t: HostContext,
  what: string,
  operation: Operation,
  sent: Readonly<Message> | Uint8Array | string,
  options?: SendOptions,
): Promise<Message> {
  const { message } = await answer(t, what, operation, sent, options);
  const type = REPLY_TYPES[operation];
  t.expect.holds(message.type === type, `the reply to ${what}`, message, `a message of type ${type}`);
  return message;
}

/** An error, as a reply or among the errors of a store. */
export interface Refusal {
  readonly code: unknown;
  readonly message: unknown;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly retryable: unknown;
  readonly req_id?: unknown;
}

/** The `error` reply to what must be refused, with one of the codes. */
export async function refused(
  t: HostContext,
  what: string,
  operation: Operation,
  sent: Readonly<Message> | Uint8Array | string,
  codes: ErrorCode | readonly ErrorCode[],
  options?: SendOptions,
): Promise<Refusal> {
  const { message } = await answer(t, what, operation, sent, options);
  const isRefusal = message.type === "error" && [codes].flat().includes(message.code as ErrorCode);
  t.expect.holds(isRefusal, `the reply to ${what}`, message, `an error ${[codes].flat().join(" or ")}`);
  return refusalOf(message);
}

/** What the reply to a store says of the entry at `index`, which must be refused with the code. */
export async function entryRefused(
  t: HostContext,
  what: string,
  sent: Readonly<Message> | Uint8Array | string,
  code: ErrorCode,
  index = 0,
): Promise<Refusal> {
  const message = await accepted(t, `a store with ${what}`, "store", sent);
  const errors = listOf(message.errors);
  const error = errors.find((one) => one.index === index);
  t.expect.holds(error?.code === code, `error of entry ${index}, ${what}`, error ?? message, `code ${code}`);
  return refusalOf(error!);
}

/** A store of one entry that must be kept. */
export async function entryAccepted(
  t: HostContext,
  what: string,
  sent: Readonly<Message> | Uint8Array | string,
): Promise<Message> {
  const message = await accepted(t, `a store with ${what}`, "store", sent);
  t.expect.equal(message.errors, [], `errors of a store with ${what}`);
  t.expect.equal(listOf(message.receipts).length, 1, `receipts of a store with ${what}`);
  return message;
}

function refusalOf(fields: Message): Refusal {
  const { code, message, retryable, req_id } = fields;
  return { code, message, retryable, req_id, detail: recordOf(fields.detail) };
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The objects of a list; none where it is no list. */
export function listOf(value: unknown): readonly Message[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

/** The entries that the caller finds in the check's own namespace and the tier under test. */
export async function storedEntries(t: HostContext): Promise<readonly Message[]> {
  const reply = await accepted(
    t,
    "a retrieve of everything in the check's namespace",
    "retrieve",
    request(t, "retrieve", { tier: t.tier, limit: 100 }),
  );
  return listOf(reply.entries);
}
