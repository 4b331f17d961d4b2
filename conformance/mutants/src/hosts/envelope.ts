import { createHash } from "node:crypto";
import { delay, MESSAGE_SCHEMAS, type Message, systemClock } from "@membus/protocol";
import { hostMutant, type Mutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import { deadlineMutants } from "./deadlines.js";
import { envelopeGoldenMutants } from "./envelope-golden.js";
import {
  refuseRequests,
  rewriteBytes,
  rewriteErrors,
  rewriteRawRequests,
  rewriteReplies,
  rewriteRequests,
} from "./intercept.js";
import { readingEntries } from "./rewrite-entries.js";

/** Returns only the fields that the type of a request allows. */
function knownFields(fields: Message): Message {
  const schema = MESSAGE_SCHEMAS[fields.type as "ping"] as { shape: object } | undefined;
  const known = Object.keys(schema?.shape ?? {});
  return Object.fromEntries(Object.entries(fields).filter(([name]) => known.includes(name)));
}

function without(fields: Message, name: string): Message {
  const { [name]: _, ...others } = fields;
  return others;
}

/** Needs more time for the batch than the check waits. */
class SlowPlugin extends ReferencePlugin {
  override async onStore(...args: Parameters<ReferencePlugin["onStore"]>) {
    if (args[1].entries.length === 200) await delay(systemClock, 2_300);
    return super.onStore(...args);
  }
}

const replyMutants: readonly Mutant[] = [
  hostMutant({
    id: "envelope-camel-case-reply",
    defect: "a pong has the field hostId",
    check: "envelope/replies-are-flat-objects-with-a-type",
    names: /fields of the reply to a ping that are not in snake_case/,
    bus: (bus) =>
      rewriteReplies(bus, (reply) => (reply.type === "pong" ? { ...reply, hostId: reply.host_id } : reply)),
  }),
  hostMutant({
    id: "envelope-reply-id-is-the-request-id",
    defect: "a reply has the id of its request instead of a new id",
    check: "envelope/replies-carry-id-version-and-time",
    names: /in addition to the id of its request/,
    bus: (bus) => rewriteReplies(bus, (reply) => ({ ...reply, id: reply.req_id ?? reply.id })),
  }),
  hostMutant({
    id: "envelope-req-id-of-another-request",
    defect: "the reply to a status has in req_id the id of the store instead of its request",
    check: "envelope/req-id-is-the-id-of-the-request",
    names: /req_id of the replies to ten requests/,
    bus: (bus) =>
      rewriteReplies(bus, (reply, { asked }) => {
        return asked?.type === "memory/status/req" ? { ...reply, req_id: asked.request_id } : reply;
      }),
  }),
  hostMutant({
    id: "envelope-ts-in-milliseconds",
    defect: "ts of a reply is in milliseconds",
    check: "envelope/times-are-unix-seconds-with-fractions",
    names: /ts of a pong, in Unix seconds/,
    bus: (bus) => rewriteReplies(bus, (reply) => ({ ...reply, ts: Math.round(Number(reply.ts) * 1_000) })),
  }),
  hostMutant({
    id: "envelope-ts-in-whole-seconds",
    defect: "ts of a reply is cut to whole seconds",
    check: "envelope/times-are-unix-seconds-with-fractions",
    names: /ts of five pongs/,
    bus: (bus) => rewriteReplies(bus, (reply) => ({ ...reply, ts: Math.floor(Number(reply.ts)) })),
  }),
];

const typeMutants: readonly Mutant[] = [
  hostMutant({
    id: "envelope-list-of-one-message",
    defect: "a list that begins with an object is read as that object",
    check: "envelope/a-message-is-an-object",
    names: /reply to a list in JSON/,
    bus: (bus) => rewriteBytes(bus, (text) => text.replace(/^\[(\{.*\})\]$/s, "$1")),
  }),
  hostMutant({
    id: "envelope-absent-type-from-the-subject",
    defect: "a message without a type gets the type of the subject",
    check: "envelope/type-is-a-known-string",
    names: /a message without a type/,
    bus: (bus) =>
      rewriteRequests(bus, (fields, { subject }) => {
        const type = subject.split(".").slice(3).join("/");
        return "type" in fields ? fields : { ...fields, type };
      }),
  }),
  hostMutant({
    id: "envelope-type-chooses-the-operation",
    defect: "the type of the payload is used without comparing it with the subject",
    check: "envelope/type-agrees-with-the-subject",
    names: /a \w+ on the subject of a \w+/,
    bus(bus) {
      return interceptByType(bus);
    },
  }),
];

function interceptByType(bus: Parameters<typeof rewriteRequests>[0]) {
  return rewriteRawRequests(bus, (message) => {
    const type = /"type":"(memory\/\w+\/req|ping)"/.exec(Buffer.from(message.payload).toString("utf8"))?.[1];
    if (type === undefined) return message;
    const caller = message.subject.split(".").slice(0, 3);
    return { ...message, subject: [...caller, ...type.split("/")].join(".") };
  });
}

const idMutants: readonly Mutant[] = [
  hostMutant({
    id: "envelope-ascii-ids-only",
    defect: "an id with a character beyond ASCII is refused",
    check: "envelope/id-of-128-printable-characters",
    names: /a ping with the id .*Grüße/,
    bus: (bus) =>
      refuseRequests(bus, (fields) =>
        /[^ -~]/.test(String(fields?.id ?? "")) ? "schema_violation" : undefined,
      ),
  }),
  hostMutant({
    id: "envelope-long-id-cut",
    defect: "an id of more than 128 characters is cut and accepted",
    check: "envelope/id-of-129-characters-refused",
    names: /an id of 129 characters/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        return typeof fields.id === "string" ? { ...fields, id: fields.id.slice(0, 128) } : fields;
      }),
  }),
  hostMutant({
    id: "envelope-zero-width-id",
    defect: "format characters within an id are dropped and the id accepted",
    check: "envelope/unprintable-id-refused",
    names: /a zero-width space \(Cf\)/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        return typeof fields.id === "string" ? { ...fields, id: fields.id.replace(/\p{Cf}/gu, "") } : fields;
      }),
  }),
  hostMutant({
    id: "envelope-made-id-is-a-hash",
    defect: "the id of a request without one is a hash of its body, so an equal body is treated as a retry",
    check: "envelope/id-made-where-none-is-given",
    names: /different ids made for three stores/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const body = JSON.stringify(without(fields, "id"));
        return { ...fields, id: fields.id || createHash("sha256").update(body).digest("hex") };
      }),
  }),
  hostMutant({
    id: "envelope-absent-session-is-called-default",
    defect: "a request without session_id uses the session `default`",
    check: "envelope/absent-session-is-the-empty-one",
    names: /keys found with \{"session_id":""\}/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        return fields.type === "ping" ? fields : { ...fields, session_id: fields.session_id ?? "default" };
      }),
  }),
  hostMutant({
    id: "envelope-version-1-0-only",
    defect: "every version but 1.0 is refused",
    check: "envelope/versions-1-x-accepted",
    names: /a ping of version 1\.1/,
    bus: (bus) =>
      refuseRequests(bus, (fields) => {
        return /^1\.[1-9]/.test(String(fields?.version ?? "")) ? "version_mismatch" : undefined;
      }),
  }),
  hostMutant({
    id: "envelope-version-2-accepted",
    defect: "another major version is read as if it were 1.0, unknown fields ignored",
    check: "envelope/other-major-versions-refused",
    names: /a store of version 2\.0/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const isOther = /^(?!1\.)\d/.test(String(fields.version ?? ""));
        return isOther ? { ...knownFields(fields), version: "1.0" } : fields;
      }),
  }),
  hostMutant({
    id: "envelope-version-prefix",
    defect: "any version that begins with 1 is accepted",
    check: "envelope/malformed-versions-refused",
    names: /a ping with the version "1"/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        return /^1(\.|\.x)?$/.test(String(fields.version ?? "")) ? { ...fields, version: "1.0" } : fields;
      }),
  }),
];

const isUnknownIn = (type: string, fields: Message) =>
  fields.type === type && Object.keys(knownFields(fields)).length < Object.keys(fields).length;

const fieldMutants: readonly Mutant[] = [
  hostMutant({
    id: "envelope-unknown-field-ignored",
    defect: "unknown fields of a ping are ignored",
    check: "envelope/unknown-field-refused",
    names: /a ping with the unknown field colour_of_it/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => (isUnknownIn("ping", fields) ? knownFields(fields) : fields)),
  }),
  hostMutant({
    id: "envelope-no-nearest-name",
    defect: "the error to an unknown field does not name the nearest known one",
    check: "envelope/unknown-field-names-the-nearest",
    names: /message of the error to a retrieve with \{"tag":\["a"\]\}/,
    bus: (bus) =>
      rewriteErrors(bus, (error) => ({
        ...error,
        message: String(error.message).replace(/ \(did you mean.*/, ""),
      })),
  }),
  hostMutant({
    id: "envelope-x-fields-are-read",
    defect: "x_limit is read as limit",
    check: "envelope/x-fields-are-ignored",
    names: /entries of a retrieve with x_limit/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        return fields.type === "memory/retrieve/req" && "x_limit" in fields
          ? { ...fields, limit: fields.x_limit }
          : fields;
      }),
  }),
  hostMutant({
    id: "envelope-null-ack-refused",
    defect: "ack: null is refused instead of treated as absent",
    check: "envelope/null-is-not-given",
    names: /a store with null for every field/,
    bus: (bus) => refuseRequests(bus, (fields) => (fields?.ack === null ? "schema_violation" : undefined)),
  }),
  hostMutant({
    id: "envelope-no-keys-finds-nothing",
    defect: "keys: [] of a retrieve selects no entries instead of being ignored",
    check: "envelope/empty-is-not-given",
    names: /keys found by a retrieve with .*"keys":\[\]/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const isEmpty = Array.isArray(fields.keys) && fields.keys.length === 0;
        return fields.type === "memory/retrieve/req" && isEmpty
          ? { ...fields, keys: ["no such key"] }
          : fields;
      }),
  }),
  hostMutant({
    id: "envelope-requires-ignored",
    defect: "requires is ignored",
    check: "envelope/requires-of-an-unknown-feature-refused",
    names: /that requires conformance_time_travel/,
    bus: (bus) => rewriteRequests(bus, (fields) => without(fields, "requires")),
  }),
  hostMutant({
    id: "envelope-requires-refused",
    defect: "a retrieve that requires anything is unsupported",
    check: "envelope/requires-of-declared-features-accepted",
    names: /a retrieve that requires/,
    bus: (bus) =>
      refuseRequests(bus, (fields) => {
        const requires =
          fields?.type === "memory/retrieve/req" &&
          Array.isArray(fields.requires) &&
          fields.requires.length > 0;
        return requires ? "unsupported" : undefined;
      }),
  }),
  hostMutant({
    id: "envelope-ttl-in-milliseconds",
    defect: "ttl is treated as milliseconds",
    check: "envelope/ttl-is-in-seconds",
    names: /seconds from storing an entry of ttl/,
    bus: readingEntries((entry) =>
      Number(entry.ttl) > 3_000 ? { ...entry, ttl: Number(entry.ttl) / 1_000 } : entry,
    ),
  }),
  hostMutant({
    id: "envelope-deadline-0-is-none",
    defect: "deadline_ms: 0 means no deadline",
    check: "envelope/deadline-range",
    names: /a store with deadline_ms 0/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => (fields.deadline_ms === 0 ? without(fields, "deadline_ms") : fields)),
  }),
  hostMutant({
    id: "envelope-deadline-ignored",
    defect: "deadline_ms is ignored, and a slow store is answered when it is done",
    check: "envelope/timeout-after-the-deadline",
    names: /ms after it was sent: expected an error timeout/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => (fields.deadline_ms === 1 ? without(fields, "deadline_ms") : fields)),
    plugins: { working: () => new SlowPlugin() },
  }),
];

export const envelopeMutants: readonly Mutant[] = [
  ...replyMutants,
  ...typeMutants,
  ...idMutants,
  ...fieldMutants,
  ...envelopeGoldenMutants,
  ...deadlineMutants,
];
