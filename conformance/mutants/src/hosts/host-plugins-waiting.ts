import { randomUUID } from "node:crypto";
import type { Bus, BusMessage, Message } from "@membus/protocol";
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

/** Another deadline than was sent, for requests of one type. */
function withDeadline(type: string, change: (deadline: unknown) => number | undefined) {
  return (bus: Bus) =>
    rewriteRequests(bus, (request) =>
      request.type === type ? { ...request, deadline_ms: change(request.deadline_ms) } : request,
    );
}

/** Tells of every request whether one of its agent and id is in work. */
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

/** A repeated request of one type is taken for a new one while the first is in work. */
function withoutJoining(type: string) {
  return (bus: Bus) =>
    watchingWork(bus, (request) => (request.type === type ? { ...request, id: randomUUID() } : request));
}

/** A request under an id that is in work is not looked at: it gets the reply of the one that is. */
function joiningById(bus: Bus): Bus {
  const waiting = new Map<string, BusMessage[]>();
  const answering = interceptReplies(bus, (reply, send) => {
    send(reply);
    const operation = `${reply.request.subject} ${reply.asked?.id}`;
    for (const { reply: subject } of waiting.get(operation) ?? []) publishReply(bus, subject!, reply);
    waiting.delete(operation);
  });
  return interceptRequests(answering, (message, deliver) => {
    // MessagePack is left alone.
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

/** Remembers replies that tell of a retryable error, and gives them again. */
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
    defect: "a store is answered after 5 seconds, whatever its `deadline_ms` is",
    check: "host-plugins/store-is-answered-at-its-deadline",
    names: /reply to a store with deadline_ms 10000 .*, 8 s after it was sent/,
    bus: withDeadline("memory/store/req", () => undefined),
  }),
  hostMutant({
    id: "host-plugins-retrieve-waits-for-its-plugin",
    defect: "a retrieve is answered when its plugin returns, whatever its `deadline_ms` is",
    check: "host-plugins/retrieve-is-answered-at-its-deadline",
    names: /reply to a retrieve with deadline_ms 10000 .*, 11 s after it was sent/,
    bus: withDeadline("memory/retrieve/req", () => 600_000),
  }),
  hostMutant({
    id: "host-plugins-forget-past-its-deadline-is-done",
    defect: "a forget that is not done at its deadline is answered as if nothing was there to forget",
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
    names: /replies to a retrieve whose plugin returned after its deadline/,
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
    defect: "a store that is sent again while the first is in work is carried out a second time",
    check: "host-plugins/repeated-store-joins-the-first",
    names: /of a store that is sent again under its id/,
    bus: withoutJoining("memory/store/req"),
  }),
  hostMutant({
    id: "host-plugins-repeated-forget-is-a-new-one",
    defect: "a forget that is sent again while the first is in work is carried out a second time",
    check: "host-plugins/repeated-forget-joins-the-first",
    names: /of a forget that is sent again under its id/,
    bus: withoutJoining("memory/forget/req"),
  }),
  hostMutant({
    id: "host-plugins-joins-by-id-alone",
    defect: "a store under the id of another one in work gets the reply of that one",
    check: "host-plugins/other-body-under-an-id-in-work-is-a-conflict",
    names: /a store under the id of another one whose plugin has not returned/,
    bus: joiningById,
  }),
  hostMutant({
    id: "host-plugins-remembers-retryable-errors",
    defect: "a request that is sent again after a retryable error gets that error again",
    check: "host-plugins/retryable-error-is-not-remembered",
    names: /errors and outcomes of the same store sent again once the plugin works/,
    bus: rememberingErrors,
  }),
  hostMutant({
    id: "host-plugins-status-is-always-done",
    defect: "`done` of a status is always true",
    check: "host-plugins/status-of-a-store-in-work-is-not-done",
    names: /`done` of the status of a store whose plugin has not returned/,
    bus: (bus) =>
      rewriteReplies(bus, (message) =>
        message.type === "memory/status/resp" ? { ...message, done: true } : message,
      ),
  }),
];

/** Answers no more than so many requests with `overloaded`. */
function withFewRefusals(countMax: number) {
  return (bus: Bus) => {
    let count = 0;
    return dropReplies(bus, ({ message }) => message.code === "overloaded" && ++count > countMax);
  };
}

const overloadMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-full-host-is-silent",
    defect: "a host that is full does not answer",
    check: "host-plugins/full-host-is-overloaded",
    names: /reply to a retrieve while a host with room for one request has one in work/,
    bus: (bus) => dropReplies(bus, ({ message }) => message.code === "overloaded"),
  }),
  hostMutant({
    id: "host-plugins-refused-request-is-not-named",
    defect: "`overloaded` of a host that is full has null as `req_id`",
    check: "host-plugins/refused-request-is-named",
    names: /req_id of the reply to a store of 100,000 bytes in json/,
    bus: (bus) =>
      rewriteErrors(bus, (error) => (error.code === "overloaded" ? { ...error, req_id: null } : error)),
  }),
  hostMutant({
    id: "host-plugins-refused-request-is-named-where-its-id-is-first",
    defect: "a host that is full reads the `id` of a request in its first 256 bytes alone",
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
    defect: "a host that is full answers the first 500 of an agent's requests, and drops the others",
    check: "host-plugins/thousand-refusals-are-answered",
    names: /the reply to one of a thousand pings at once/,
    bus: withFewRefusals(500),
  }),
  hostMutant({
    id: "host-plugins-flood-is-never-heard-again",
    defect: "an agent that sends more than can be refused is not heard any more",
    check: "host-plugins/flood-is-heard-again-after-a-second",
    names: /the reply to a ping of an agent a second after it sent 2,000 pings/,
    bus: withFewRefusals(1_000),
  }),
  hostMutant({
    id: "host-plugins-overloaded-plugin-does-not-say-when",
    defect: "an `overloaded` of a plugin that has no `retry_after_ms` is sent as it is",
    check: "host-plugins/overloaded-plugin-tells-when-to-retry",
    names: /detail\.retry_after_ms of the reply to a retrieve whose plugin threw overloaded/,
    bus: (bus) =>
      rewriteErrors(bus, (error) =>
        error.message === "too much at once" ? { ...error, detail: {} } : error,
      ),
  }),
];

export const waitingMutants: readonly Mutant[] = [...deadlineMutants, ...repeatMutants, ...overloadMutants];
