import { type Message, systemClock } from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import {
  dropReplies,
  intercept,
  interceptReplies,
  refuseRequests,
  rewriteErrors,
  rewriteReplies,
  rewriteReplyHeaders,
} from "./intercept.js";

function withoutField(error: Message, name: string): Message {
  const { [name]: _, ...others } = error;
  return others;
}

const formMutants: readonly Mutant[] = [
  hostMutant({
    id: "errors-unsupported-is-retryable",
    defect: "unsupported is marked as retryable",
    check: "errors/replies-name-code-message-detail-retryable",
    names: /retryable of the error .* code unsupported/,
    bus: (bus) =>
      rewriteErrors(bus, (error) => (error.code === "unsupported" ? { ...error, retryable: true } : error)),
  }),
  hostMutant({
    id: "errors-of-entries-without-retryable",
    defect: "the errors of entries do not have `retryable`",
    check: "errors/of-entries-have-the-same-form",
    names: /retryable of the error of entry 0/,
    bus: (bus) =>
      rewriteReplies(bus, (reply) =>
        Array.isArray(reply.errors)
          ? { ...reply, errors: reply.errors.map((error) => withoutField(error, "retryable")) }
          : reply,
      ),
  }),
  hostMutant({
    id: "errors-without-nats-headers",
    defect: "errors have no headers but Content-Type",
    check: "errors/nats-headers-show-the-error",
    names: /header Nats-Service-Error-Code of the error/,
    bus: (bus) =>
      rewriteReplyHeaders(bus, (headers) => ({
        "Content-Type": headers["Content-Type"] ?? "application/json",
      })),
  }),
  hostMutant({
    id: "errors-without-inner-path",
    defect: "the path of a schema violation is only the outermost field",
    check: "errors/schema-violation-names-its-path",
    names: /detail\.path of the error to a retrieve with \{"keys":\["a",5\]\}/,
    bus: (bus) =>
      rewriteErrors(bus, (error) => {
        const { path, ...detail } = error.detail as Message;
        const outer = String(path ?? "").replace(/[.[].*$/, "");
        return path === undefined ? error : { ...error, detail: { ...detail, path: outer } };
      }),
  }),
];

const insideMutants: readonly Mutant[] = [
  hostMutant({
    id: "errors-bad-include-is-a-runtime-error",
    defect: "an include that is not a list makes the host fail",
    check: "errors/bad-input-is-no-runtime-error",
    names: /code of the error to .*"include":5/,
    bus: (bus) =>
      rewriteErrors(bus, (error, { asked }) => {
        const isStrange = asked?.include !== undefined && !Array.isArray(asked.include);
        return isStrange ? { ...error, code: "runtime_error" } : error;
      }),
  }),
  hostMutant({
    id: "errors-stack-in-the-message",
    defect: "the message of an error to an invalid where is a stack trace",
    check: "errors/tell-nothing-of-the-inside",
    names: /no stack trace or file path/,
    bus: (bus) =>
      rewriteErrors(bus, (error, { asked }) => {
        const stack = `TypeError: ${error.message}\n    at checkWhere (file:///srv/host/where.js:61:13)`;
        return asked?.where === undefined ? error : { ...error, message: stack };
      }),
  }),
  hostMutant({
    id: "errors-cause-is-sent",
    defect: "an error of the parser is sent along as cause",
    check: "errors/tell-nothing-of-the-inside",
    names: /fields of the error to .* that reveal its cause/,
    bus: (bus) =>
      rewriteErrors(bus, (error) =>
        error.code === "parse_error" ? { ...error, cause: "SyntaxError" } : error,
      ),
  }),
  hostMutant({
    id: "errors-no-req-id-of-unreadable-values",
    defect: "the error to a message with an unsupported value has no req_id",
    check: "errors/req-id-of-broken-messages",
    names: /req_id of the error to a ping with a field __proto__/,
    bus: (bus) =>
      rewriteErrors(bus, (error, { asked }) => (asked === undefined ? { ...error, req_id: null } : error)),
  }),
];

/** Below the 300 concurrent requests of the check, and above the requests of other checks. */
const BUSY = { agentInFlightCountMax: 150 };

const countMutants: readonly Mutant[] = [
  hostMutant({
    id: "errors-overloaded-without-time",
    defect: "overloaded has no retry delay",
    check: "errors/overloaded-tells-when-to-retry",
    names: /detail\.retry_after_ms of an error overloaded/,
    options: BUSY,
    bus: (bus) =>
      rewriteErrors(bus, (error) => (error.code === "overloaded" ? { ...error, detail: {} } : error)),
  }),
  hostMutant({
    id: "errors-overloaded-is-silent",
    defect: "a request above the capacity is dropped",
    check: "errors/overloaded-tells-when-to-retry",
    names: /the reply to one of 300 retrieves/,
    options: BUSY,
    bus: (bus) => dropReplies(bus, ({ message }) => message.code === "overloaded"),
  }),
  hostMutant({
    id: "errors-forget-answered-twice",
    defect: "a forget is answered when it is accepted and again when it is done",
    check: "errors/one-reply-to-each-request",
    names: /types of the replies to a forget/,
    bus: (bus) =>
      interceptReplies(bus, (reply, send) => {
        send(reply);
        if (reply.message.type === "memory/forget/resp") send(reply);
      }),
  }),
  hostMutant({
    id: "errors-answered-twice",
    defect: "a version mismatch is answered twice, by the reader and by the router",
    check: "errors/one-reply-to-each-broken-message",
    names: /replies to .*"version":"2\.0"/,
    bus: (bus) =>
      interceptReplies(bus, (reply, send) => {
        send(reply);
        if (reply.message.code === "version_mismatch") send(reply);
      }),
  }),
];

const NEIGHBOURS = "errors/flood-of-one-agent-refuses-no-other";
const ROOM = 64;

const agentOf = ({ subject }: BusMessage) => subject.split(".")[2] ?? "";

/** Refuses requests while the pending requests of a group are above its capacity. */
function withRoom(counted: (message: BusMessage) => boolean, isRefused: (message: BusMessage) => boolean) {
  return (bus: Bus) => {
    let underWay = 0;
    const answered = intercept(bus, {
      publish(sent, publish) {
        if (sent.reply === undefined) underWay = Math.max(0, underWay - 1);
        publish(sent);
      },
    });
    return refuseRequests(answered, (_, message) => {
      if (!counted(message)) return undefined;
      if (underWay >= ROOM && isRefused(message)) return "overloaded";
      underWay++;
      return undefined;
    });
  };
}

const neighbourMutants: readonly Mutant[] = [
  hostMutant({
    id: "errors-one-room-for-all",
    defect: "the capacity of the host is shared by all agents",
    check: NEIGHBOURS,
    names: /the reply to a (ping|retrieve) of an agent while another one has 300 pending retrieves/,
    bus: withRoom(
      () => true,
      () => true,
    ),
  }),
  hostMutant({
    id: "errors-pings-have-no-room-of-their-own",
    defect: "a ping is refused under load",
    check: NEIGHBOURS,
    names: /the reply to a ping of an agent while another one has 300 pending retrieves/,
    bus: withRoom(
      () => true,
      ({ subject }) => subject.endsWith(".ping"),
    ),
  }),
  hostMutant({
    id: "errors-refuses-everybody-for-a-second",
    defect: "a host at capacity refuses every agent for a second",
    check: NEIGHBOURS,
    names: /the reply to a (ping|retrieve) of an agent while another one has 300 pending retrieves/,
    bus: (bus) => {
      const counts = new Map<string, number>();
      let refusedAt = 0;
      return refuseRequests(bus, (_, message) => {
        const count = (counts.get(agentOf(message)) ?? 0) + 1;
        counts.set(agentOf(message), count);
        if (count % (2 * ROOM) === 0) refusedAt = systemClock.now();
        return systemClock.now() - refusedAt < 1 ? "overloaded" : undefined;
      });
    },
  }),
];

const orderMutants: readonly Mutant[] = [
  hostMutant({
    id: "errors-features-before-the-version",
    defect: "a feature that is not offered is refused before type and version are checked",
    check: "errors/first-problem-is-answered",
    names: /\(step \d\) and an unknown feature/,
    bus: (bus) =>
      refuseRequests(bus, (fields) =>
        fields?.requires !== undefined && fields.type !== "ping" ? "unsupported" : undefined,
      ),
  }),
  hostMutant({
    id: "errors-fields-before-the-version",
    defect: "an unknown field is refused before the version is checked",
    check: "errors/first-problem-is-answered",
    names: /with version 2\.0 \(step 6\) and an unknown field/,
    bus: (bus) =>
      refuseRequests(bus, (fields) =>
        fields?.unheard_of !== undefined && fields.version !== undefined ? "schema_violation" : undefined,
      ),
  }),
];

export const errorsMutants: readonly Mutant[] = [
  ...formMutants,
  ...insideMutants,
  ...countMutants,
  ...neighbourMutants,
  ...orderMutants,
];
