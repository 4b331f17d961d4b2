import { type BusMessage, DEFAULTS, type DecodedRequest, type RequestAddress } from "@membus/protocol";
import type { DropReason } from "../metrics.js";
import {
  forget,
  list,
  type RequestContext,
  type Runtime,
  retrieve,
  status,
  store,
} from "../operations/index.js";
import { asMemoryError, failure, type Outcome, success } from "../outcome.js";
import { requireAnywhere } from "../plugin-calls/index.js";
import { type Exchange, Inboxes, messageId, type Reply, type Responder } from "../replies/index.js";
import { type Admission, Turns } from "./admission.js";
import { AddressBook, readMessage } from "./request-reader.js";

export interface RouterDependencies {
  readonly runtime: Runtime;
  readonly responder: Responder;
  readonly admission: Admission;
}

/**
 * From a message to its reply, and the only place where errors become replies.
 *
 * A message without a reply subject is carried out unanswered where it is a store or a forget, and else dropped
 * (clause SUBJ-10).
 */
export class Router {
  readonly #dependencies: RouterDependencies;
  readonly #addresses: AddressBook;
  readonly #inboxes: Inboxes;
  readonly #turns: Turns;

  constructor(dependencies: RouterDependencies) {
    this.#dependencies = dependencies;
    this.#turns = new Turns(dependencies.runtime.clock);
    const { prefix, inboxPrefixes } = dependencies.runtime.options;
    this.#addresses = new AddressBook(prefix);
    this.#inboxes = new Inboxes(prefix, inboxPrefixes);
  }

  /** Never throws. */
  readonly receive = (message: BusMessage): void => {
    const { runtime, responder } = this.#dependencies;
    const { reply, subject, payload } = message;
    if (reply !== undefined && !this.#inboxes.isOfCaller(reply, subject)) {
      this.#drop(message, "reply_subject");
      return;
    }
    const receivedAt = runtime.clock.now();
    const requestBytes = payload.length;
    try {
      const { encoding, reqId, address, request } = readMessage(message, this.#addresses);
      const read = request.ok ? request.value : undefined;
      const exchange = { reply, encoding, address, reqId, receivedAt, requestBytes, request: read };
      if (reply === undefined && !isMutation(address)) this.#drop(message, "unanswerable");
      else if (request.ok) this.#admit(exchange, address!, request.value);
      else responder.answer(exchange, request);
    } catch (error) {
      const unread = { encoding: "json", address: undefined, reqId: null, request: undefined } as const;
      const failed = failure(asMemoryError(error, runtime.logger));
      responder.answer({ reply, receivedAt, requestBytes, ...unread }, failed);
    }
  };

  #drop({ subject, payload }: BusMessage, reason: DropReason): void {
    const { runtime, responder } = this.#dependencies;
    responder.drop(subject, runtime.options.prefix, reason, payload.length);
  }

  #admit(received: Exchange, address: RequestAddress, request: DecodedRequest): void {
    const { admission, responder, runtime } = this.#dependencies;
    const { requestBytes } = received;
    const agent = `${address.tenant}\n${address.agent}`;
    const admitted = admission.enter(agent, requestBytes);
    if (!admitted.ok) return responder.answer(received, admitted);
    const id = received.reqId ?? messageId();
    const exchange = received.reqId === null ? { ...received, reqId: id } : received;
    const context = contextOf(exchange, id, address, request);
    const turn = { deadlineAt: context.deadlineAt, isMutation: isMutation(address) };
    const operation = this.#turns.run(() => this.#operate(context, request), turn);
    void runtime.deadlines.race(operation, context.deadlineAt).then((outcome) => {
      responder.answer(exchange, outcome);
      runtime.events.release();
      admission.leave(agent, requestBytes);
    });
  }

  async #operate(context: RequestContext, request: DecodedRequest): Promise<Outcome<Reply>> {
    const { runtime } = this.#dependencies;
    try {
      if (request.requires) requireAnywhere(runtime.tiers.values(), request.requires);
      return success(await dispatch(runtime, context, request));
    } catch (error) {
      return failure(asMemoryError(error, runtime.logger));
    }
  }
}

function isMutation(address: RequestAddress | undefined): boolean {
  return address?.type === "memory/store/req" || address?.type === "memory/forget/req";
}

function contextOf(
  { receivedAt, requestBytes }: Exchange,
  id: string,
  { tenant, agent, tier }: RequestAddress,
  request: DecodedRequest,
): RequestContext {
  return {
    caller: { tenant, agent, session: request.session_id ?? "" },
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
    case "ping":
      return { fields: { host_id: runtime.hostId, tiers: [...runtime.tiers.keys()] } };
  }
}
