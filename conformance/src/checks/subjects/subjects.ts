import { isMemoryError, type Message } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import {
  accepted,
  answer,
  entryAccepted,
  listOf,
  oneOfEach,
  operationsOf,
  refused,
  request,
  storedEntries,
} from "../../fixtures/bare-messages.js";
import { PATIENCE_MS } from "../../fixtures/patience.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { subjectsReplyChecks } from "./subjects-replies.js";
import { subjectsTierChecks } from "./subjects-tier.js";

const TOKENS_OF_OPERATIONS = {
  store: "memory.store.req",
  retrieve: "memory.retrieve.req",
  forget: "memory.forget.req",
  status: "memory.status.req",
  ping: "ping",
} as const;

/** Names that are not valid tokens, each with its token. */
const ESCAPED_NAMES: readonly (readonly [name: string, token: string])[] = [
  ["zoë", "=em_Dqw"],
  ["a.b", "=YS5i"],
  ["a b", "=YSBi"],
  ["*", "=Kg"],
  [">", "=Pg"],
  ["=x", "=PXg"],
  ["記憶", "=6KiY5oa2"],
  ["x".repeat(65), `=${"eHh4".repeat(21)}eHg`],
  ["🦊".repeat(48), `=${"8J-mivCfporwn6aK".repeat(16)}`],
];

/** Tokens of no agent, because each name has exactly one token. */
const NO_AGENTS: readonly (readonly [what: string, token: string])[] = [
  ["an escape of `alice`, which needs none", "=YWxpY2U"],
  ["an escape of no bytes", "="],
  ["an escape that is not base64url", "=***"],
  ["a padded escape", "=em_Dqw=="],
  ["an escape in base64 of the other alphabet", "=em/Dqw"],
  ["an escape with extra bits after its last byte", "=em_Dqx"],
  ["an escape of bytes that are not UTF-8", "=_w"],
  ["an escape of an unpaired surrogate", "=7aCA"],
  ["an escape of 193 bytes", `=${Buffer.from("é".repeat(96).concat("x")).toString("base64url")}`],
  ["a name of 65 characters, not escaped", "a".repeat(65)],
  ["a name with a character that tokens do not allow", "ali%ce"],
  ["a name with a letter beyond ASCII, not escaped", "zoë"],
];

const NO_TENANTS = ["de=fault", "de%fault", "=ZGVmYXVsdA", "t".repeat(65), "default$", "défaut"];

const NO_OPERATIONS = ["memory.history.req", "memory.update.req", "memory.Store.req", "memory.req.req"];

/** Returns the entries of the check that an agent finds, by its token on the subject. */
async function entriesOf(t: HostContext, token: string): Promise<readonly Message[]> {
  const subject = subjectOf(t, token, "memory.retrieve.req");
  const sent = request(t, "retrieve", { tier: t.tier, limit: 100 });
  return listOf((await accepted(t, `a retrieve on ${subject}`, "retrieve", sent, { subject })).entries);
}

function subjectOf(t: HostContext, agent: string, operation: string, tenant = t.caller.tenant): string {
  return `${t.prefix}.${tenant}.${agent}.${operation}`;
}

async function forgetAll(t: HostContext, token: string): Promise<void> {
  const subject = subjectOf(t, token, "memory.forget.req");
  const sent = request(t, "forget", { tier: t.tier, all: true });
  await accepted(t, `a forget on ${subject}`, "forget", sent, { subject });
}

const formChecks: readonly Check[] = [
  hostCheck({
    id: "subjects/every-operation-on-its-subject",
    clauses: ["SUBJ-1"],
    async run(t) {
      const id = newRequestId();
      await t.caller.store(t.entry(), { id });
      const bodies = oneOfEach(t, id);
      for (const operation of operationsOf(t)) {
        const subject = subjectOf(t, t.caller.agent, TOKENS_OF_OPERATIONS[operation]);
        const sent = request(t, operation, bodies[operation]);
        await accepted(t, `a ${operation} published to ${subject}`, operation, sent, { subject });
      }
    },
  }),
  hostTierCheck({
    id: "subjects/escaped-agent-names",
    clauses: ["SUBJ-3"],
    async run(t) {
      for (const [name, token] of ESCAPED_NAMES) {
        const entry = t.entry();
        const subject = subjectOf(t, token, "memory.store.req");
        const what = `a store on ${subject}, of the agent ${JSON.stringify(name)}`;
        const sent = request(t, "store", { entries: [entry] });
        const { errors } = await accepted(t, what, "store", sent, { subject });
        t.expect.equal(errors, [], `errors of ${what}`);
        const found = (await entriesOf(t, token)).filter(
          ({ key }) => JSON.stringify(key) === JSON.stringify(entry.key),
        );
        t.expect.equal(
          found.map(({ author, source }) => ({ author, source })),
          [{ author: name, source: name }],
          `author and source of the entry of ${what}`,
        );
        await forgetAll(t, token);
      }
    },
  }),
  hostTierCheck({
    id: "subjects/agents-are-told-apart-by-their-tokens",
    clauses: ["SUBJ-3", "SUBJ-4"],
    tiers: ["working", "episodic"],
    async run(t) {
      const mark = t.random.hex(6);
      const [plain, upper] = [`agent-${mark}`, `Agent-${mark}`];
      const escaped = `=${Buffer.from(`agent-${mark}.`).toString("base64url")}`;
      const tokens = [plain, upper, escaped, `agent-${mark}_`];
      const entries = tokens.map(() => t.entry());
      for (const [at, token] of tokens.entries()) {
        const subject = subjectOf(t, token, "memory.store.req");
        await accepted(t, `a store on ${subject}`, "store", request(t, "store", { entries: [entries[at]] }), {
          subject,
        });
      }
      for (const [at, token] of tokens.entries()) {
        const keys = (await entriesOf(t, token)).map(({ key }) => key);
        t.expect.equal(
          keys,
          [entries[at]!.key],
          `keys found by ${token}, after a store of each of ${tokens.join(", ")}`,
        );
      }
      for (const token of tokens) await forgetAll(t, token);
    },
  }),
  hostCheck({
    id: "subjects/tokens-of-no-agent-refused",
    clauses: ["SUBJ-8", "SUBJ-3"],
    async run(t) {
      for (const [what, token] of NO_AGENTS) {
        const subject = subjectOf(t, token, "memory.store.req");
        const sent = request(t, "store", { entries: [t.entry()] });
        const { req_id } = await refused(
          t,
          `a store of ${what}: ${subject}`,
          "store",
          sent,
          "invalid_message",
          { subject },
        );
        t.expect.equal(req_id, sent.id, `req_id of the error to a store of ${what}: ${subject}`);
      }
      const own = `=${Buffer.from(t.caller.agent).toString("base64url")}`;
      const subject = subjectOf(t, own, "memory.retrieve.req");
      const what = `a retrieve on ${subject}, an escape of ${t.caller.agent}`;
      await refused(t, what, "retrieve", request(t, "retrieve"), "invalid_message", { subject });
    },
  }),
  hostCheck({
    id: "subjects/unknown-operations-refused",
    clauses: ["SUBJ-8", "SUBJ-1"],
    async run(t) {
      for (const operation of NO_OPERATIONS) {
        const subject = subjectOf(t, t.caller.agent, operation);
        for (const type of ["memory/store/req", operation.replaceAll(".", "/")]) {
          const sent = { ...request(t, "store", { entries: [t.entry()] }), type };
          const what = `a message of type ${type} on ${subject}`;
          await refused(t, what, "store", sent, "invalid_message", { subject });
        }
      }
      t.expect.equal(await storedEntries(t), [], "entries after stores on subjects of unknown operations");
    },
  }),
  hostCheck({
    id: "subjects/tenants-are-tokens",
    clauses: ["SUBJ-2", "SUBJ-8"],
    async run(t) {
      await accepted(t, `a ping of the tenant ${t.caller.tenant}`, "ping", request(t, "ping"));
      for (const tenant of NO_TENANTS) {
        const subject = subjectOf(t, t.caller.agent, "memory.store.req", tenant);
        const sent = request(t, "store", { entries: [t.entry()] });
        // A host of named tenants does not subscribe to this subject.
        const code = await t.send("store", sent, { subject, timeoutMs: PATIENCE_MS }).then(
          ({ message }) => message.code ?? message.type,
          (error: unknown) => (isMemoryError(error) ? error.code : Promise.reject(error)),
        );
        t.expect.holds(
          code === "invalid_message" || code === "unavailable",
          `the result of a store on ${subject}`,
          code,
          "an error invalid_message, or no responders",
        );
      }
    },
  }),
];

const identityChecks: readonly Check[] = [
  hostTierCheck({
    id: "subjects/identity-is-the-subjects",
    clauses: ["SUBJ-4"],
    async run(t) {
      const other = t.agent({ agent: "second" }).agent;
      const claim = { tenant: "elsewhere", agent: other, author: other };
      const envelope = { x_agent: other, x_tenant: "elsewhere", x_author: other, x_from: other };
      const entry = { ...t.entry(), ...claim, source: other };
      const sent = request(t, "store", { ...envelope, entries: [entry] });
      await entryAccepted(t, `an entry that names ${JSON.stringify(claim)}`, sent);
      const found = await storedEntries(t);
      t.expect.equal(
        found.map(({ key, author, source }) => ({ key, author, source })),
        [{ key: entry.key, author: t.caller.agent, source: other }],
        `entries that ${t.caller.agent} finds after it stored an entry with ${JSON.stringify(claim)}`,
      );
    },
  }),
  hostTierCheck({
    id: "subjects/identity-in-the-payload-reaches-nothing",
    clauses: ["SUBJ-4", "ENV-5"],
    tiers: ["working", "episodic"],
    async run(t) {
      const second = t.agent({ agent: "second" });
      const kept = t.entry();
      await second.store(kept);
      for (const claim of [
        { x_agent: second.agent },
        { x_identity: { tenant: second.tenant, agent: second.agent } },
      ]) {
        const asked = request(t, "retrieve", { tier: t.tier, ...claim });
        const what = `a retrieve of ${t.caller.agent} with ${JSON.stringify(claim)}`;
        const { entries } = await accepted(t, what, "retrieve", asked);
        t.expect.equal(entries, [], `entries of ${what}, after a store of ${second.agent}`);
      }
      for (const field of ["agent", "tenant", "agent_id", "user_id"]) {
        const asked = request(t, "retrieve", { tier: t.tier, [field]: second.agent });
        const { message } = await answer(t, `a retrieve with ${field}`, "retrieve", asked);
        t.expect.equal(
          message.code,
          "schema_violation",
          `code of the reply to a retrieve with ${field}: ${second.agent}`,
        );
      }
      const keys = (await second.retrieve()).entries.map(({ key }) => key);
      t.expect.equal(keys, [kept.key], `keys that ${second.agent} finds`);
    },
  }),
];

export const subjectsChecks: readonly Check[] = [
  ...formChecks,
  ...identityChecks,
  ...subjectsReplyChecks,
  ...subjectsTierChecks,
];
