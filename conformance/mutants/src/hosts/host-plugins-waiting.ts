import { randomUUID } from "node:crypto";
import type { Message } from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import {
  dropReplies,
  interceptReplies,
  interceptRequests,
  type Read,
  rewriteErrors,
  rewriteReplies,
  rewriteRequests,
} from "./intercept.js";

/** Rewrites the deadlines of requests of one type. */
function withDeadline(type: string, change: (deadline: unknown) => number | undefined) {
  return (bus: Bus) =>
    rewriteRequests(bus, (request) =>
      request.type === type ? { ...request, deadline_ms: change(request.deadline_ms) } : request,
    );
}

/** Rewrites requests if another one with the same agent and id is pending. */
function watchingWork(bus: Bus, change: (request: Message) => Message): Bus {
  const inWork = new Map<string, string>();
  const answering = interceptReplies(bus, (reply, send) => {
    inWork.delete(String(reply.request.reply));
    send(reply);
  });
  return rewriteRequests(answering, (request, message) => {
    const operation = `${message.subject} ${request.id}`;
    const isRepeated = [...inWork.values()].includes(operation);
    inWork.set(String(message.reply), operation);
    return isRepeated ? change(request) : request;
  });
}

/** Treats a repeated request of one type as a new one while the first is pending. */
function withoutJoining(type: string) {
  return (bus: Bus) =>
    watchingWork(bus, (request) => (request.type === type ? { ...request, id: randomUUID() } : request));
}

/** Answers a request with the id of a pending one with the reply of that one, without comparing them. */
function joiningById(bus: Bus): Bus {
  const waiting = new Map<string, BusMessage[]>();
  const answering = interceptReplies(bus, (reply, send) => {
    send(reply);
    const operation = `${reply.request.subject} ${reply.asked?.id}`;
    for (const { reply: subject } of waiting.get(operation) ?? []) publishReply(bus, subject!, reply);
    waiting.delete(operation);
  });
  return interceptRequests(answering, (message, deliver) => {
    // MessagePack stays unchanged.
    if (message.payload[0] !== "{".charCodeAt(0)) return deliver(message);
    const { id, type } = (JSON.parse(Buffer.from(message.payload).toString("utf8")) ?? {}) as Message;
    const operation = `${message.subject} ${id}`;
    const others = waiting.get(operation);
    if (type !== "memory/store/req" || others === undefined) {
      if (type === "memory/store/req") waiting.set(operation, []);
      return deliver(message);
    }
    others.push(message);
  });
}

function publishReply(bus: Bus, subject: string, { message, headers }: Read): void {
  bus.publish(subject, Buffer.from(JSON.stringify(message)), { headers });
}

/** Caches replies with a retryable error and returns them again. */
function rememberingErrors(bus: Bus): Bus {
  const failed = new Map<string, Message>();
  return rewriteReplies(bus, (message, { request, asked }) => {
    const operation = `${request.subject} ${asked?.id}`;
    const errors = Array.isArray(message.errors) ? (message.errors as Message[]) : [message];
    const first = failed.get(operation);
    if (errors.some(({ retryable }) => retryable === true)) failed.set(operation, message);
    return first ?? message;
  });
}

const deadlineMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-store-has-its-own-deadline",
    defect: "a store is answered after 5 seconds, regardless of its `deadline_ms`",
    check: "host-plugins/store-is-answered-at-its-deadline",
    names: /reply to a store with deadline_ms 10000 .*, 8 s after it was sent/,
    bus: withDeadline("memory/store/req", () => undefined),
  }),
  hostMutant({
    id: "host-plugins-retrieve-waits-for-its-plugin",
    defect: "a retrieve is answered when its plugin returns, regardless of its `deadline_ms`",
    check: "host-plugins/retrieve-is-answered-at-its-deadline",
    names: /reply to a retrieve with deadline_ms 10000 .*, 11 s after it was sent/,
    bus: withDeadline("memory/retrieve/req", () => 600_000),
  }),
  hostMutant({
    id: "host-plugins-forget-past-its-deadline-is-done",
    defect: "a forget that is not done at its deadline is answered as if no entry matched",
    check: "host-plugins/forget-is-answered-at-its-deadline",
    names: /reply to a forget with deadline_ms 10000 .*, 11 s after it was sent/,
    bus: (bus) =>
      rewriteReplies(bus, (message, { asked }) => {
        if (message.code !== "timeout" || asked?.type !== "memory/forget/req") return message;
        const { id, version, ts, req_id } = message;
        const receipt = { id: randomUUID(), at: ts, by_tier: { working: 0 }, purge: "done" };
        return { type: "memory/forget/resp", id, version, ts, req_id, deleted: 0, receipt };
      }),
  }),
  hostMutant({
    id: "host-plugins-default-deadline-is-thirty-seconds",
    defect: "without `deadline_ms` a request may take 30 seconds",
    check: "host-plugins/deadline-is-five-seconds-unless-given",
    names: /reply to a retrieve with no deadline_ms .*, 6 s after it was sent/,
    bus: withDeadline("memory/retrieve/req", (deadline) => Number(deadline ?? 30_000)),
  }),
  hostMutant({
    id: "host-plugins-late-result-is-sent-too",
    defect: "a request that was answered with `timeout` gets a second reply",
    check: "host-plugins/late-result-is-not-a-second-reply",
    names: /replies to a retrieve with a plugin that returned after the deadline/,
    bus: (bus) =>
      interceptReplies(bus, (reply, send) => {
        send(reply);
        if (reply.message.code === "timeout") send(reply);
      }),
  }),
];

const repeatMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-repeated-store-is-a-new-one",
    defect: "a store that is repeated while the first is pending is executed twice",
    check: "host-plugins/repeated-store-joins-the-first",
    names: /of a store that is sent again under its id/,
    bus: withoutJoining("memory/store/req"),
  }),
  hostMutant({
    id: "host-plugins-repeated-forget-is-a-new-one",
    defect: "a forget that is repeated while the first is pending is executed twice",
    check: "host-plugins/repeated-forget-joins-the-first",
    names: /of a forget that is sent again under its id/,
    bus: withoutJoining("memory/forget/req"),
  }),
  hostMutant({
    id: "host-plugins-joins-by-id-alone",
    defect: "a store with the id of another pending one gets the reply of that one",
    check: "host-plugins/other-body-under-an-id-in-work-is-a-conflict",
    names: /a store under the id of another pending store/,
    bus: joiningById,
  }),
  hostMutant({
    id: "host-plugins-remembers-retryable-errors",
    defect: "a request that is sent again after a retryable error gets that error again",
    check: "host-plugins/retryable-error-is-not-remembered",
    names: /errors and outcomes of the same store sent again after the plugin recovered/,
    bus: rememberingErrors,
  }),
  hostMutant({
    id: "host-plugins-status-is-always-done",
    defect: "`done` of a status is always true",
    check: "host-plugins/status-of-a-store-in-work-is-not-done",
    names: /`done` of the status of a store before its plugin has returned/,
    bus: (bus) =>
      rewriteReplies(bus, (message) =>
        message.type === "memory/status/resp" ? { ...message, done: true } : message,
      ),
  }),
];

/** Answers at most `countMax` requests with `overloaded`. */
function withFewRefusals(countMax: number) {
  return (bus: Bus) => {
    let count = 0;
    return dropReplies(bus, ({ message }) => message.code === "overloaded" && ++count > countMax);
  };
}

const overloadMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-full-host-is-silent",
    defect: "a host at capacity does not answer",
    check: "host-plugins/full-host-is-overloaded",
    names: /reply to a retrieve while a host with a capacity of one has a pending request/,
    bus: (bus) => dropReplies(bus, ({ message }) => message.code === "overloaded"),
  }),
  hostMutant({
    id: "host-plugins-refused-request-is-not-named",
    defect: "`overloaded` of a host at capacity has null as `req_id`",
    check: "host-plugins/refused-request-is-named",
    names: /req_id of the reply to a store of 100,000 bytes in json/,
    bus: (bus) =>
      rewriteErrors(bus, (error) => (error.code === "overloaded" ? { ...error, req_id: null } : error)),
  }),
  hostMutant({
    id: "host-plugins-refused-request-is-named-where-its-id-is-first",
    defect: "a host at capacity reads the `id` of a request only in its first 256 bytes",
    check: "host-plugins/refused-request-is-named",
    names: /req_id of the reply to a store of 100,000 bytes in json, its id at byte 9\d\d/,
    bus: (bus) =>
      rewriteErrors(bus, (error, { request: { payload } }) => {
        const isNear = Buffer.from(payload).subarray(0, 256).includes(`${error.req_id}`);
        return error.code === "overloaded" && !isNear ? { ...error, req_id: null } : error;
      }),
  }),
  hostMutant({
    id: "host-plugins-few-refusals-are-answered",
    defect: "a host at capacity answers the first 500 of an agent's requests, and drops the others",
    check: "host-plugins/thousand-refusals-are-answered",
    names: /the reply to one of a thousand concurrent pings/,
    bus: withFewRefusals(500),
  }),
  hostMutant({
    id: "host-plugins-flood-is-never-heard-again",
    defect: "an agent that exceeds the number of refusals is ignored from then on",
    check: "host-plugins/flood-is-heard-again-after-a-second",
    names: /the reply to a ping of an agent a second after it sent 2,000 pings/,
    bus: withFewRefusals(1_000),
  }),
  hostMutant({
    id: "host-plugins-overloaded-plugin-does-not-say-when",
    defect: "an `overloaded` of a plugin without `retry_after_ms` is sent unchanged",
    check: "host-plugins/overloaded-plugin-tells-when-to-retry",
    names: /detail\.retry_after_ms of the reply to a retrieve after the plugin threw overloaded/,
    bus: (bus) =>
      rewriteErrors(bus, (error) =>
        error.message === "too many requests" ? { ...error, detail: {} } : error,
      ),
  }),
];

export const waitingMutants: readonly Mutant[] = [...deadlineMutants, ...repeatMutants, ...overloadMutants];
