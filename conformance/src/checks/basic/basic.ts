import { encodeMessage, keyHash, type Message } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import {
  accepted,
  answer,
  entryAccepted,
  listOf,
  type Operation,
  oneOfEach,
  operationsOf,
  recordOf,
  refused,
  request,
  storedEntries,
} from "../../fixtures/bare-messages.js";
import { findHost } from "../../fixtures/host-info.js";
import { FEATURES_OF_BASIC } from "../../host-route/discover.js";
import { formFaultOf } from "../../run/reply-form.js";
import { basicEdgeChecks } from "./basic-edges.js";
import { basicMemoryChecks } from "./basic-memory.js";
import { basicValuesChecks } from "./basic-values.js";

const CRITERIA: Message = {
  match: { id: "kept" },
  tags_mode: "any",
  group: "one",
  since: 0,
  until: 1e10,
  where: { field: "tags", op: "eq", value: "kept" },
};

/** Fields of other profiles, each with a valid value, including values without effect. */
const OTHER_FIELDS: Readonly<Partial<Record<Operation, Message>>> = {
  store: { ack: "stored" },
  retrieve: {
    ...CRITERIA,
    embedding: [1, 0],
    embedding_model: "any",
    order: "newest",
    cursor: "eyJhIjoxfQ",
    mode: "hybrid",
    include: ["context"],
    fields: ["text"],
    recency: { half_life_s: 60 },
    diversity: 0,
    expand: { before: 1 },
    explain: false,
    rerank: false,
  },
  forget: { ...CRITERIA, dry_run: true, cascade: true, purge: false },
};

const OTHER_ENTRY_FIELDS: Message = {
  metadata: { lang: "en" },
  text: "a text",
  context: "a context",
  group: "one",
  occurred_at: 5,
  importance: 0.5,
  sources: [keyHash("source")],
  embedding: [1, 0],
  embedding_model: "any",
  expires_at: 9e9,
  if_revision: 0,
};

const STATED = ["protocol_version", "state", "prefix", "tenants", "tiers", "features"];
const BASIC_FEATURES: readonly string[] = ["ttl", ...FEATURES_OF_BASIC];

async function expectKept(t: HostContext, entry: Message, after: string): Promise<void> {
  const keys = (await storedEntries(t)).map(({ key }) => key);
  t.expect.equal(keys, [entry.key], `keys of all entries after ${after}`);
}

const discoveryChecks: readonly Check[] = [
  hostCheck({
    id: "basic/metadata-names-what-is-offered",
    clauses: ["BASIC-1", "DISC-7"],
    profile: "basic",
    async run(t) {
      const metadata = recordOf((await findHost(t)).metadata);
      const absent = STATED.filter((name) => typeof metadata[name] !== "string");
      t.expect.equal(absent, [], "texts that the metadata of $SRV.INFO lacks");
      t.expect.equal(metadata.profile, "basic", "metadata.profile");
      t.expect.equal(metadata.state, "serving", "metadata.state of a host that answers");
      t.expect.equal(metadata.prefix, t.prefix, "metadata.prefix");
      const features = `${metadata.features}`.split(",");
      t.expect.holds(features.includes("ttl"), "metadata.features", features, "ttl among them");
      const others = features.filter((name) => !BASIC_FEATURES.includes(name));
      t.expect.equal(others, [], "metadata.features that are none of the profile basic");
    },
  }),
  hostTierCheck({
    id: "basic/replies-have-every-field",
    clauses: ["BASIC-6"],
    profile: "basic",
    async run(t) {
      const asked = async (operation: Operation, fields: Message) => {
        const message = await accepted(t, `a ${operation}`, operation, request(t, operation, fields));
        t.expect.equal(formFaultOf(message), undefined, `form errors in the reply to a ${operation}`);
        return message;
      };
      const entries = [t.entry({ tags: ["a"], ttl: 900 }), { key: "", content: 1 }];
      const { stored } = await asked("store", { entries });
      t.expect.equal(listOf(stored).length, 1, "keys in `stored` of a store of a good and a bad entry");
      const found = await asked("retrieve", { tier: t.tier });
      t.expect.equal(listOf(found.entries).length, 1, "entries of a retrieve after it");
      const { deleted } = await asked("forget", { tier: t.tier, tags: ["a"] });
      t.expect.equal(deleted, 1, "deleted by a forget of its tag");
    },
  }),
];

const refusalChecks: readonly Check[] = [
  hostTierCheck({
    id: "basic/other-fields-of-requests-are-unsupported",
    clauses: ["BASIC-2"],
    profile: "basic",
    async run(t) {
      const kept = t.entry({ key: { id: "kept" }, tags: ["kept"] });
      await t.caller.store(kept);
      const bodies = { ...oneOfEach(t), forget: { tier: t.tier, tags: ["kept"] } };
      for (const [name, fields] of Object.entries(OTHER_FIELDS)) {
        const operation = name as Operation;
        for (const [field, value] of Object.entries(fields)) {
          const what = `a ${operation} with ${JSON.stringify({ [field]: value })}`;
          const sent = request(t, operation, { ...bodies[operation], [field]: value });
          const { req_id } = await refused(t, what, operation, sent, "unsupported");
          t.expect.equal(req_id, sent.id, `req_id of the error to ${what}`);
        }
      }
      await expectKept(t, kept, "requests with fields that only other profiles have");
    },
  }),
  hostTierCheck({
    id: "basic/other-fields-of-entries-are-unsupported",
    clauses: ["BASIC-2", "STORE-2"],
    profile: "basic",
    async run(t) {
      const fields = Object.entries(OTHER_ENTRY_FIELDS);
      const kept = t.entry();
      const others = fields.map(([name, value]) => ({ ...t.entry(), [name]: value }));
      const what = "a store of entries with a field each that only other profiles have, and one without";
      const sent = request(t, "store", { entries: [...others, kept] });
      const { errors } = await accepted(t, what, "store", sent);
      t.expect.equal(
        listOf(errors).map(({ index, code }) => [fields[Number(index)]?.[0], code]),
        fields.map(([name]) => [name, "unsupported"]),
        `fields and codes of the errors of ${what}`,
      );
      await expectKept(t, kept, what);
      const nulls = Object.fromEntries(fields.map(([name]) => [name, null]));
      const plain = request(t, "store", { entries: [{ ...t.entry(), ...nulls }] });
      await entryAccepted(t, "an entry with null for what only other profiles have", plain);
    },
  }),
  hostCheck({
    id: "basic/messagepack-is-unsupported",
    clauses: ["BASIC-3"],
    profile: "basic",
    async run(t) {
      for (const operation of operationsOf(t)) {
        const bytes = encodeMessage(request(t, operation, oneOfEach(t)[operation]), "msgpack");
        for (const contentType of ["application/msgpack", null]) {
          const what = `a ${operation} in MessagePack, Content-Type ${contentType}`;
          const { message, bytes: got } = await answer(t, what, operation, bytes, { contentType });
          t.expect.equal(message.code, "unsupported", `code of the reply to ${what}`);
          t.expect.equal(String.fromCharCode(got[0]!), "{", `first byte of the reply to ${what}, in JSON`);
        }
      }
      t.expect.equal(await storedEntries(t), [], "entries after stores in MessagePack");
      const reply = await answer(t, "a ping in JSON without a Content-Type", "ping", request(t, "ping"), {
        contentType: null,
      });
      t.expect.equal(
        reply.message.type,
        "pong",
        "type of the reply to a ping in JSON without a Content-Type",
      );
      t.expect.equal(
        reply.headers["Content-Type"],
        "application/json",
        "header Content-Type of the reply to a ping in JSON",
      );
    },
  }),
  hostTierCheck({
    id: "basic/other-operations-are-unsupported",
    clauses: ["BASIC-4"],
    profile: "basic",
    async run(t) {
      const kept = t.entry();
      await t.caller.store(kept);
      const list = { ...request(t, "ping"), type: "memory/list/req", namespace: t.caller.namespace };
      await refused(t, "a list", "list", list, "unsupported");
      const status = request(t, "status", oneOfEach(t).status);
      await refused(t, "a status", "status", status, "unsupported");
      const bodies = { store: { entries: [t.entry()] }, retrieve: {}, forget: { all: true } } as const;
      for (const operation of ["store", "retrieve", "forget"] as const) {
        const subject = t.subject(operation).replace(/req$/, `${t.tier}.req`);
        const sent = request(t, operation, bodies[operation]);
        await refused(t, `a ${operation} on ${subject}`, operation, sent, "unsupported", { subject });
      }
      for (const operation of ["retrieve", "forget"] as const) {
        const body = { ...bodies[operation], namespace: `${t.caller.namespace}/**`, tier: t.tier };
        await refused(
          t,
          `a ${operation} of a subtree`,
          operation,
          request(t, operation, body),
          "unsupported",
        );
      }
      await expectKept(t, kept, "requests that only other profiles have");
    },
  }),
  hostTierCheck({
    id: "basic/query-is-answered-or-unsupported",
    clauses: ["BASIC-5"],
    profile: "basic",
    async run(t) {
      await t.caller.store(t.entry({ content: "a grey heron" }));
      const sent = request(t, "retrieve", { tier: t.tier, query: "a grey heron" });
      const { full_text, similarity } = t.features;
      if (full_text || similarity) {
        const { total } = await accepted(t, "a query of the text of the one entry", "retrieve", sent);
        t.expect.equal(total, 1, "total of a query of the text of the one entry");
      } else await refused(t, "a query, of a host that names no search", "retrieve", sent, "unsupported");
    },
  }),
];

/** Discovery, refusals and messages of hosts with the profile `basic`. */
export const basicChecks: readonly Check[] = [
  ...discoveryChecks,
  ...refusalChecks,
  ...basicMemoryChecks,
  ...basicValuesChecks,
  ...basicEdgeChecks,
];
