import { CONTENT_TYPE_HEADER, DEFAULTS, type DecodedRequest, type RequestAddress } from "@membus/protocol";
import type { BusMessage, Intake } from "@membus/protocol/plugin";
import type { DropReason } from "../metrics.js";
import {
  agents,
  forget,
  list,
  type RequestContext,
  type Runtime,
  retrieve,
  status,
  store,
} from "../operations/index.js";
import { asMemoryError, failure, type Outcome, startTimeoutError, success } from "../outcome.js";
import { requireFeaturesInAnyTier } from "../plugin-calls/index.js";
import type { RateMeter } from "../rates/index.js";
import { type Exchange, Inboxes, messageId, type Reply, type Responder } from "../replies/index.js";
import { type Span, type Tracer, UNTRACED } from "../tracing/index.js";
import type { Admission, AdmissionSlot, Arrival, Refusal } from "./admission.js";
import { FairQueue } from "./fair-queue.js";
import { readHead } from "./request-head.js";
import { readMessage, SubjectCache } from "./request-reader.js";

export interface RouterDependencies {
  readonly runtime: Runtime;
  readonly responder: Responder;
  readonly admission: Admission;
  readonly rates: RateMeter;
  readonly tracer: Tracer;
}

/**
 * Larger messages are decoded when their turn comes, so that the decoding cost is charged to their sender.
 */
const DECODE_NOW_BYTES_MAX = 16 * 1024;

/** A message with its properties before it is decoded. */
interface ReceivedMessage {
  readonly message: BusMessage;
  readonly address: Outcome<RequestAddress>;
  readonly arrival: Arrival;
}

interface AdmittedRequest extends ReceivedMessage {
  readonly slot: AdmissionSlot;
}

/** Starts an operation when its turn comes, but not after `deadlineAt`. */
type RunScheduled = (start: () => Promise<Outcome<Reply>>, deadlineAt: number) => Promise<Outcome<Reply>>;

/**
 * Processes messages from receipt to reply. This is the only place where errors become replies.
 *
 * A store or forget without a reply subject is executed unanswered. Other requests without one are dropped
 * (clause SUBJ-10).
 */
export class Router {
  readonly #dependencies: RouterDependencies;
  readonly #addresses: SubjectCache;
  readonly #inboxes: Inboxes;
  readonly #queue: FairQueue;

  constructor(dependencies: RouterDependencies) {
    this.#dependencies = dependencies;
    const { runtime, rates } = dependencies;
    this.#queue = new FairQueue(runtime.clock, (sender, costMs, isMutation) => {
      if (!isMutation) rates.spendQuery(sender, costMs, runtime.clock.now());
    });
    const { prefix, inboxPrefixes } = runtime.options;
    this.#addresses = new SubjectCache(prefix);
    this.#inboxes = new Inboxes(prefix, inboxPrefixes);
  }

  /** Never throws. */
  readonly receive = (message: BusMessage): void => {
    const received = this.#arrive(message, message.payload.length);
    if (received === undefined) return;
    const admitted = this.#dependencies.admission.admit(received.arrival);
    if (admitted === "flood") this.#drop(message, "flood");
    else if (admitted.kind === "refused") this.#refuse(received, admitted);
    else this.#schedule({ ...received, slot: admitted });
  };

  /** Answers and counts the messages that the intake thread of the bus has refused. */
  readonly intake: Omit<Intake, "senderTokens"> = {
    onRefused: (message, bytes) => {
      const received = this.#arrive(message, bytes);
      if (received === undefined) return;
      const refusal = this.#dependencies.admission.refuseWaiting(received.arrival);
      if (refusal === "flood") this.#drop(message, "flood");
      else this.#refuse(received, refusal);
    },
    onDropped: (count) => this.#dependencies.responder.dropUnread(count),
  };

  /** Returns undefined for a message that is dropped because it must not or cannot be answered. */
  #arrive(message: BusMessage, bytes: number): ReceivedMessage | undefined {
    const { reply, subject } = message;
    if (reply !== undefined && !this.#inboxes.belongsToCaller(reply, subject)) {
      return this.#drop(message, "reply_subject");
    }
    const address = this.#addresses.addressOf(subject);
    const isQuery = !isMutation(address);
    if (reply === undefined && isQuery) return this.#drop(message, "unanswerable");
    const sender = this.#addresses.senderOf(subject, address);
    const receivedAt = this.#dependencies.runtime.clock.now();
    const isOverflowing = message.isOverflowing === true;
    return { message, address, arrival: { sender, bytes, isQuery, receivedAt, isOverflowing } };
  }

  #drop({ subject, payload }: BusMessage, reason: DropReason): undefined {
    const { runtime, responder } = this.#dependencies;
    responder.drop(subject, runtime.options.prefix, reason, payload.length);
  }

  #refuse({ message, address, arrival }: ReceivedMessage, { cause, error }: Refusal): void {
    const { responder } = this.#dependencies;
    const head = readHead(message.payload, message.headers[CONTENT_TYPE_HEADER]);
    const from = address.ok ? address.value : undefined;
    responder.refuse(
      exchangeOf(message, arrival, { ...head, address: from, request: undefined }),
      cause,
      error,
    );
  }

  /**
   * Decodes a small message now, so that its deadline applies while it is queued, and a large one when its
   * turn comes.
   */
  #schedule(admittedRequest: AdmittedRequest): void {
    const { arrival, slot } = admittedRequest;
    const { clock } = this.#dependencies.runtime;
    const turn = { sender: arrival.sender, isMutation: !arrival.isQuery, isImpatient: slot.isImpatient };
    if (arrival.bytes <= DECODE_NOW_BYTES_MAX) {
      void this.#serve(admittedRequest, (start, deadlineAt) =>
        this.#queue.run(start, { ...turn, deadlineAt }),
      );
    } else {
      const runUnlessExpired: RunScheduled = (start, deadlineAt) =>
        deadlineAt > clock.now() ? start() : Promise.resolve(failure(startTimeoutError()));
      const serve = () => this.#serve(admittedRequest, runUnlessExpired);
      void this.#queue.run(serve, { ...turn, deadlineAt: Number.POSITIVE_INFINITY });
    }
  }

  /** Resolves when the operation has ended. Never rejects. */
  async #serve(
    { message, address, arrival, slot }: AdmittedRequest,
    runScheduled: RunScheduled,
  ): Promise<void> {
    const { responder, runtime, tracer } = this.#dependencies;
    const finish = (exchange: Exchange, outcome: Outcome<Reply>) => {
      responder.answer(exchange, outcome);
      runtime.events.release();
      slot.release();
    };
    try {
      const read = readMessage(message, address);
      const { request: found } = read;
      const decoded = found.ok ? found.value : undefined;
      const span = address.ok ? tracer.request(address.value, decoded, message.headers) : UNTRACED;
      if (!found.ok || !address.ok) {
        // Invalid messages are queued too, because replies cost time and such messages may come in floods.
        const wrong = found as Outcome<never>;
        return finish(
          exchangeOf(message, arrival, { ...read, request: undefined }, span),
          await runScheduled(async () => wrong, Number.POSITIVE_INFINITY),
        );
      }
      const request = found.value;
      const id = read.reqId ?? messageId();
      const exchange = exchangeOf(message, arrival, { ...read, reqId: id, request }, span);
      const context = contextOf(exchange, id, address.value, request);
      const operation = runScheduled(
        () => span.run(() => this.#operate(context, request)),
        context.deadlineAt,
      );
      const answered = runtime.deadlines.inTime(operation, context.deadlineAt);
      void answered.then((outcome) => finish(exchange, outcome));
      await operation;
    } catch (error) {
      const unread = { encoding: "json", address: undefined, reqId: null, request: undefined } as const;
      finish(exchangeOf(message, arrival, unread), failure(asMemoryError(error, runtime.logger)));
    }
  }

  async #operate(context: RequestContext, request: DecodedRequest): Promise<Outcome<Reply>> {
    const { runtime } = this.#dependencies;
    try {
      if (request.requires) requireFeaturesInAnyTier(runtime.tiers.values(), request.requires);
      return success(await dispatch(runtime, context, request));
    } catch (error) {
      return failure(asMemoryError(error, runtime.logger));
    }
  }
}

function isMutation(address: Outcome<RequestAddress>): boolean {
  if (!address.ok) return false;
  const { type } = address.value;
  return type === "memory/store/req" || type === "memory/forget/req";
}

function exchangeOf(
  { reply, respond, payload }: BusMessage,
  { receivedAt }: Arrival,
  read: Pick<Exchange, "encoding" | "reqId" | "address" | "request">,
  span: Span = UNTRACED,
): Exchange {
  const { encoding, reqId, address, request } = read;
  return {
    reply,
    respond,
    encoding,
    address,
    reqId,
    receivedAt,
    requestBytes: payload.length,
    request,
    span,
  };
}

function contextOf(
  { receivedAt, requestBytes }: Exchange,
  id: string,
  { tenant, agent, isOperator, tier }: RequestAddress,
  request: DecodedRequest,
): RequestContext {
  return {
    caller: { tenant, agent, session: request.session_id ?? "" },
    isOperator: isOperator === true,
    tier,
    id,
    acceptedAt: receivedAt,
    deadlineAt: receivedAt + (request.deadline_ms ?? DEFAULTS.deadlineMs) / 1_000,
    messageBytes: requestBytes,
  };
}

function dispatch(
  runtime: Runtime,
  context: RequestContext,
  request: DecodedRequest,
): Promise<Reply> | Reply {
  switch (request.type) {
    case "memory/store/req":
      return store(runtime, context, request);
    case "memory/retrieve/req":
      return retrieve(runtime, context, request);
    case "memory/forget/req":
      return forget(runtime, context, request);
    case "memory/status/req":
      return status(runtime, context, request);
    case "memory/list/req":
      return list(runtime, context, request);
    case "memory/agents/req":
      return agents(runtime, context, request);
    case "ping":
      return { fields: { host_id: runtime.hostId, tiers: [...runtime.tiers.keys()] } };
  }
}
