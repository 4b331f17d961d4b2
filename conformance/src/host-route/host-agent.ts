import {
  type Caller,
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  decodeMessage,
  type Encoding,
  ErrorMessageSchema,
  encodeMessage,
  MemoryForgetResponseSchema,
  MemoryListResponseSchema,
  MemoryRetrieveResponseSchema,
  MemoryStatusResponseSchema,
  MemoryStoreResponseSchema,
  type MemoryTier,
  parseErrorMessage,
  type RequestType,
  requestSubject,
} from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import type { z } from "zod";
import { ExpectationError } from "../expect.js";
import { newRequestId } from "../fixtures/request-id.js";
import type {
  EntryInput,
  ErasureReply,
  ForgetInput,
  ForgetReply,
  ListInput,
  ListReply,
  MemoryAgent,
  RetrieveInput,
  RetrieveReply,
  StatusReply,
  StoreInput,
  StoreReply,
} from "../memory-agent.js";
import { shown } from "../report/shown.js";
import { formDiscrepancy } from "../run/reply-form.js";
import type { Trace } from "../trace.js";

/** Longer than the protocol's default, because a host on a loaded machine may be slow and still correct. */
const DEADLINE_MS = 15_000;
/** Additional wait for a reply after its deadline. */
const DEADLINE_MARGIN_MS = 2_000;

export interface HostAgentParts {
  readonly request: Bus["request"];
  /** Time to wait for a reply, in milliseconds. Default: the deadline of each request plus a margin. */
  readonly timeoutMs?: number;
  readonly prefix: string;
  readonly tier: MemoryTier;
  readonly trace: Trace;
  /** Accepts malformed replies. */
  readonly anyForm?: boolean;
}

/** An agent that sends its requests to a host over the bus. */
export class HostAgent implements MemoryAgent {
  readonly tenant: string;
  readonly agent: string;
  readonly namespace: string;
  readonly #session: string;
  readonly #parts: HostAgentParts;

  constructor({ tenant, agent, session }: Caller, namespace: string, parts: HostAgentParts) {
    this.tenant = tenant;
    this.agent = agent;
    this.namespace = namespace;
    this.#session = session;
    this.#parts = parts;
  }

  store(entries: EntryInput | readonly EntryInput[], options: StoreInput = {}): Promise<StoreReply> {
    const fields = { ...options, entries: [entries].flat() };
    return this.#request("memory/store/req", fields, MemoryStoreResponseSchema);
  }

  retrieve(input: RetrieveInput = {}): Promise<RetrieveReply> {
    const fields = { tier: this.#parts.tier, ...input };
    return this.#request("memory/retrieve/req", fields, MemoryRetrieveResponseSchema);
  }

  forget(input: ForgetInput): Promise<ForgetReply> {
    const fields = { tier: this.#parts.tier, ...input };
    return this.#request("memory/forget/req", fields, MemoryForgetResponseSchema);
  }

  status(requestId: string): Promise<StatusReply> {
    return this.#request("memory/status/req", { request_id: requestId }, MemoryStatusResponseSchema);
  }

  erasure(requestId: string): Promise<ErasureReply> {
    const fields = { request_id: requestId, kind: "forget" };
    return this.#request("memory/status/req", fields, MemoryStatusResponseSchema);
  }

  list(input: ListInput = {}): Promise<ListReply> {
    const fields = { tier: this.#parts.tier, ...input };
    return this.#request("memory/list/req", fields, MemoryListResponseSchema);
  }

  #request<Reply>(
    type: RequestType,
    fields: Readonly<Record<string, unknown>>,
    schema: z.ZodType<Reply>,
  ): Promise<Reply> {
    const { tenant, agent } = this;
    const { trace, prefix } = this.#parts;
    const ownFields = type === "memory/status/req" ? {} : { namespace: this.namespace };
    const session = this.#session === "" ? {} : { session_id: this.#session };
    const common = { type, id: newRequestId(), deadline_ms: DEADLINE_MS };
    const message = { ...common, ...session, ...ownFields, ...withoutUndefined(fields) };
    const subject = requestSubject({ tenant, agent, type }, prefix);
    return trace.recordStep(subject, { tenant, agent, message }, async () => {
      const reply = await this.#exchange(subject, message);
      return this.#parts.anyForm ? readReply<Reply>(reply) : parseReply(reply, type, schema);
    });
  }

  async #exchange(subject: string, message: Readonly<Record<string, unknown>>): Promise<unknown> {
    const encoding: Encoding = "json";
    const headers = { [CONTENT_TYPE_HEADER]: CONTENT_TYPES[encoding] };
    const payload = encodeMessage(message, encoding);
    const deadlineMs = Number(message.deadline_ms);
    const timeoutMs = this.#parts.timeoutMs ?? deadlineMs + DEADLINE_MARGIN_MS;
    const reply = await this.#parts.request(subject, payload, { timeoutMs, headers });
    const decoded = decodeMessage(reply.payload, { contentType: reply.headers[CONTENT_TYPE_HEADER] });
    if (decoded.ok) {
      this.#parts.trace.noteForm(decoded.message);
      return decoded.message;
    }
    const got = `${decoded.text}: ${shown(Buffer.from(reply.payload).toString("utf8"))}`;
    throw new ExpectationError({ what: `the reply to ${message.type}`, expected: "a message", got });
  }
}

/**
 * Parses a reply by its type.
 * @throws {MemoryError} for an `error` reply.
 * @throws {ExpectationError} for a malformed reply.
 */
function parseReply<Reply>(reply: unknown, requestType: string, schema: z.ZodType<Reply>): Reply {
  const error = ErrorMessageSchema.safeParse(reply);
  if (error.success) throw parseErrorMessage(error.data);
  const parsed = schema.safeParse(reply);
  if (parsed.success) return parsed.data;
  const isError = (reply as { type?: unknown }).type === "error";
  const fault = isError ? error.error : parsed.error;
  const what = isError ? `the error to ${requestType}` : `the reply to ${requestType}`;
  throw new ExpectationError(formDiscrepancy(what, "the form of its schema", fault, reply));
}

/** Returns a reply without validation. The check that reads a missing field reports it. */
function readReply<Reply>(reply: unknown): Reply {
  const error = ErrorMessageSchema.safeParse(reply);
  if (error.success) throw parseErrorMessage(error.data);
  return reply as Reply;
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
