import { decodeMessage, type Message } from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import {
  dropRequests,
  intercept,
  interceptRequests,
  refuseRequests,
  rewriteRawRequests,
  rewriteReplies,
} from "./intercept.js";

const AGENT_AT = 2;

/** Rewrites a subject token by token. */
function withTokens(
  bus: Bus,
  change: (tokens: readonly string[], message: BusMessage) => readonly string[],
): Bus {
  return rewriteRawRequests(bus, (message) => {
    return { ...message, subject: change(message.subject.split("."), message).join(".") };
  });
}

function withAgent(bus: Bus, change: (token: string, fields: Message) => string): Bus {
  return withTokens(bus, (tokens, { payload, headers }) => {
    const decoded = decodeMessage(payload, { contentType: headers["Content-Type"] });
    const fields = decoded.ok ? decoded.message : {};
    return tokens.map((token, at) => (at === AGENT_AT ? change(token, fields) : token));
  });
}

/** Returns the token that a lenient base64 decoder would produce. */
function leniently(token: string): string {
  if (!token.startsWith("=") || token.includes("*")) return token;
  const name = Buffer.from(token.slice(1), "base64").toString("utf8");
  return /^[\w-]{1,64}$/.test(name) ? name : token;
}

const tokenMutants: readonly Mutant[] = [
  hostMutant({
    id: "subjects-status-of-another-subject",
    defect: "a status is only subscribed to on memory.state.req",
    check: "subjects/every-operation-on-its-subject",
    names: /a status published to a2e\.default\.[\w-]+\.memory\.status\.req/,
    bus: (bus) =>
      refuseRequests(bus, (_, { subject }) =>
        subject.endsWith(".memory.status.req") ? "invalid_message" : undefined,
      ),
  }),
  hostMutant({
    id: "subjects-author-is-the-token",
    defect: "the author of an entry is the token of its agent instead of the decoded name",
    check: "subjects/escaped-agent-names",
    names: /author and source of the entry/,
    bus: (bus) =>
      rewriteReplies(bus, (reply, { request }) => {
        const token = request.subject.split(".")[AGENT_AT]!;
        if (!token.startsWith("=") || !Array.isArray(reply.entries)) return reply;
        return {
          ...reply,
          entries: reply.entries.map((entry) => ({ ...entry, author: token, source: token })),
        };
      }),
  }),
  hostMutant({
    id: "subjects-agents-in-lower-case",
    defect: "names of agents are converted to lower case",
    check: "subjects/agents-are-told-apart-by-their-tokens",
    names: /keys found by agent-/,
    bus: (bus) => withAgent(bus, (token) => (token.startsWith("=") ? token : token.toLowerCase())),
  }),
  hostMutant({
    id: "subjects-escape-of-a-plain-name",
    defect: "an escape of a name that needs none is accepted",
    check: "subjects/tokens-of-no-agent-refused",
    names: /an escape of `alice`/,
    bus: (bus) => withAgent(bus, leniently),
  }),
  hostMutant({
    id: "subjects-operation-in-any-case",
    defect: "operations on subjects are matched in any case",
    check: "subjects/unknown-operations-refused",
    names: /memory\.Store\.req/,
    bus: (bus) => withTokens(bus, (tokens) => tokens.map((token) => (token === "Store" ? "store" : token))),
  }),
  hostMutant({
    id: "subjects-tenant-cleaned",
    defect: "invalid characters in a tenant are dropped",
    check: "subjects/tenants-are-tokens",
    names: /a store on a2e\.de=fault\./,
    bus: (bus) =>
      withTokens(bus, (tokens) =>
        tokens.map((token, at) => (at === 1 ? token.replace(/[^\w-]/g, "") : token)),
      ),
  }),
];

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

const identityMutants: readonly Mutant[] = [
  hostMutant({
    id: "subjects-author-of-the-entry",
    defect: "the author in an entry overrides its sender",
    check: "subjects/identity-is-the-subjects",
    names: /entries that conformance-first finds after it stored/,
    bus: (bus) =>
      withAgent(bus, (token, { entries }) => {
        const [entry] = Array.isArray(entries) ? (entries as (Message | null)[]) : [];
        return textOf(entry?.author)?.match(/^conformance-second$/)?.[0] ?? token;
      }),
  }),
  hostMutant({
    id: "subjects-agent-of-the-payload",
    defect: "x_agent of the payload overrides the agent of the subject",
    check: "subjects/identity-in-the-payload-reaches-nothing",
    names: /entries of a retrieve of conformance-first with \{"x_agent"/,
    bus: (bus) => withAgent(bus, (token, { x_agent }) => textOf(x_agent) ?? token),
  }),
];

const INBOX = "_INBOX";
const HIDDEN = "_INBOX.hidden-";

/** Bypasses the host's check of reply subjects for those that `isHidden` selects. */
function answering(bus: Bus, isHidden: (reply: string, subject: string) => boolean): Bus {
  return intercept(bus, {
    receive(message, deliver) {
      const { reply, subject } = message;
      const isOne = reply !== undefined && !reply.startsWith(`${INBOX}.`) && isHidden(reply, subject);
      return deliver(isOne ? { ...message, reply: HIDDEN + Buffer.from(reply).toString("hex") } : message);
    },
    publish(sent, publish) {
      if (!sent.subject.startsWith(HIDDEN)) return publish(sent);
      publish({ ...sent, subject: Buffer.from(sent.subject.slice(HIDDEN.length), "hex").toString() });
    },
  });
}

const replyMutants: readonly Mutant[] = [
  hostMutant({
    id: "subjects-any-reply-subject-answered",
    defect: "a request is answered on any reply subject",
    check: "subjects/reply-outside-the-inboxes-is-not-answered",
    names: /subjects on which the host answered .*conformance\./,
    bus: (bus) => answering(bus, (reply) => !reply.startsWith(INBOX)),
  }),
  hostMutant({
    id: "subjects-inbox-of-another-answered",
    defect: "every subject that begins with _INBOX counts as an inbox of the caller",
    check: "subjects/reply-in-the-inbox-of-another-is-not-answered",
    names: /subjects on which the host answered .*got \["_INBOX_conformance-second\./,
    bus: (bus) => answering(bus, (reply) => reply.startsWith(INBOX)),
  }),
  hostMutant({
    id: "subjects-unanswerable-carried-out",
    defect: "a request with a reply subject outside of the inboxes is executed, but not answered",
    check: "subjects/reply-outside-the-inboxes-has-no-effect",
    names: /keys of all entries after stores and forgets with reply subjects outside/,
    bus: (bus) =>
      interceptRequests(bus, (message, deliver) => {
        const { reply, ...unanswered } = message;
        deliver(reply === undefined || reply.startsWith(INBOX) ? message : unanswered);
      }),
  }),
  hostMutant({
    id: "subjects-private-inbox-dropped",
    defect: "only reply subjects that begin with _INBOX and a dot are inboxes",
    check: "subjects/private-inbox-is-answered",
    names: /replies to a ping with the reply subject _INBOX_/,
    bus: (bus) => dropRequests(bus, ({ reply }) => reply?.startsWith(`${INBOX}_`) === true),
  }),
  hostMutant({
    id: "subjects-store-without-reply-dropped",
    defect: "a store without a reply subject is dropped",
    check: "subjects/store-without-a-reply-subject-is-carried-out",
    names: /keys found after a store of two entries without a reply subject/,
    bus: (bus) =>
      dropRequests(bus, ({ reply, subject }) => reply === undefined && subject.endsWith(".store.req")),
  }),
  hostMutant({
    id: "subjects-forget-without-reply-dropped",
    defect: "a forget without a reply subject is dropped",
    check: "subjects/forget-without-a-reply-subject-is-carried-out",
    names: /keys found after a forget of the other entry without a reply subject/,
    bus: (bus) =>
      dropRequests(bus, ({ reply, subject }) => reply === undefined && subject.endsWith(".forget.req")),
  }),
];

const TIER_OF_SUBJECT = /\.memory\.(?<operation>\w+)\.(?:working|episodic|semantic)\.req$/;

const plainly = (subject: string) => subject.replace(TIER_OF_SUBJECT, ".memory.$<operation>.req");

const tierMutants: readonly Mutant[] = [
  hostMutant({
    id: "subjects-tier-not-heard",
    defect: "subjects with a tier are not subscribed to",
    check: "subjects/tier-of-the-subject-is-meant",
    names: /the reply to a store on .*\.memory\.store\.\w+\.req of an entry without a tier/,
    bus: (bus) => dropRequests(bus, ({ subject }) => TIER_OF_SUBJECT.test(subject)),
  }),
  hostMutant({
    id: "subjects-tier-ignored",
    defect: "the tier of a subject is ignored, and only the request's tier counts",
    check: "subjects/another-tier-than-the-subjects-is-refused",
    names: /errors of a store on .* of three entries/,
    bus: (bus) => rewriteRawRequests(bus, (message) => ({ ...message, subject: plainly(message.subject) })),
  }),
];

export const subjectsMutants: readonly Mutant[] = [
  ...tokenMutants,
  ...identityMutants,
  ...replyMutants,
  ...tierMutants,
];
