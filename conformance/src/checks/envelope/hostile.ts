import { encodeMessage, type Message } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck, memoryCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import {
  accepted,
  answer,
  entryAccepted,
  entryRefused,
  type Operation,
  refused,
  request,
  storedEntries,
} from "../../fixtures/bare-messages.js";
import { RAW, rawJson, rawPack } from "../../fixtures/raw-values.js";
import { hostileFuzzChecks } from "./hostile-fuzz.js";

const LEVELS = 5_000;

/** Returns messages with a place for a deeply nested value. */
function deepCarriers(t: HostContext): readonly (readonly [place: string, Operation, Message])[] {
  return [
    ["content", "store", request(t, "store", { entries: [t.entry({ content: RAW })] })],
    ["a key", "store", request(t, "store", { entries: [t.entry({ key: { id: RAW } })] })],
    ["metadata", "store", request(t, "store", { entries: [t.entry({ metadata: { a: RAW } })] })],
    ["match", "retrieve", request(t, "retrieve", { match: { id: RAW } })],
    ["where", "retrieve", request(t, "retrieve", { where: RAW })],
    ["where", "forget", request(t, "forget", { tier: t.tier, where: RAW })],
    ["a field that is ignored", "ping", request(t, "ping", { x_deep: RAW })],
  ];
}

/** Expects the host to answer and to store. */
async function expectServing(t: HostContext, after: string): Promise<void> {
  await accepted(t, `a ping after ${after}`, "ping", request(t, "ping"));
  await entryAccepted(t, `an ordinary entry after ${after}`, request(t, "store", { entries: [t.entry()] }));
}

const deepChecks: readonly Check[] = [
  hostCheck({
    id: "hostile/five-thousand-levels-in-json",
    clauses: ["LIMIT-2", "ERR-10"],
    async run(t) {
      for (const [place, operation, message] of deepCarriers(t)) {
        for (const [open, close] of [
          ["[", "]"],
          ['{"not":', "}"],
        ] as const) {
          const what = `a ${operation} in JSON with ${LEVELS} levels of ${open} in ${place}`;
          const text = `${open.repeat(LEVELS)}1${close.repeat(LEVELS)}`;
          await refused(t, what, operation, rawJson(message, text), "too_large");
        }
      }
      t.expect.equal(await storedEntries(t), [], `entries after stores of ${LEVELS} levels`);
      await expectServing(t, "messages that are far too deep");
    },
  }),
  hostCheck({
    id: "hostile/five-thousand-levels-in-messagepack",
    clauses: ["LIMIT-2", "ERR-10"],
    async run(t) {
      for (const [place, operation, message] of deepCarriers(t)) {
        for (const level of [[0x91], [0x81, 0xa3, 0x6e, 0x6f, 0x74]]) {
          const what = `a ${operation} in MessagePack with ${LEVELS} levels in ${place}`;
          const bytes = [...new Array<readonly number[]>(LEVELS).fill(level).flat(), 0x01];
          const contentType = "application/msgpack";
          await refused(t, what, operation, rawPack(message, bytes), "too_large", { contentType });
        }
      }
      await expectServing(t, "messages that are far too deep");
    },
  }),
];

const sizeChecks: readonly Check[] = [
  hostTierCheck({
    id: "hostile/ten-thousand-tags",
    clauses: ["LIMIT-2", "LIMIT-3"],
    async run(t) {
      const tags = Array.from({ length: 10_000 }, (_, at) => `tag ${at}`);
      const { detail } = await entryRefused(
        t,
        "an entry with 10,000 tags",
        request(t, "store", { entries: [t.entry({ tags })] }),
        "too_large",
      );
      t.expect.equal([detail.max, detail.got], [256, 10_000], "max and got of the error to 10,000 tags");
      for (const operation of ["retrieve", "forget"] as const) {
        const what = `a ${operation} by 10,000 tags`;
        const error = await refused(
          t,
          what,
          operation,
          request(t, operation, { tier: t.tier, tags }),
          "too_large",
        );
        t.expect.equal(
          [error.detail.max, error.detail.got],
          [256, 10_000],
          `max and got of the error to ${what}`,
        );
      }
      await expectServing(t, "10,000 tags");
    },
  }),
  hostCheck({
    id: "hostile/ten-thousand-nodes",
    clauses: ["CRIT-6", "LIMIT-2"],
    async run(t) {
      const leaf = { field: "metadata.a", op: "contains", value: "a" };
      for (const operation of ["retrieve", "forget"] as const) {
        for (const branch of ["any", "all"]) {
          const where = { not: { [branch]: new Array(10_000).fill(leaf) } };
          const what = `a ${operation} with a where of 10,002 nodes`;
          const sent = request(t, operation, { tier: t.tier, where });
          const { detail } = await refused(t, what, operation, sent, "too_large");
          t.expect.equal(detail.max, 64, `detail.max of the error to ${what}`);
        }
      }
      await expectServing(t, "trees of 10,000 nodes");
    },
  }),
  hostCheck({
    id: "hostile/lengths-that-are-not-there",
    clauses: ["ENC-7", "ENC-4"],
    async run(t) {
      const contentType = "application/msgpack";
      const message = request(t, "ping", { x_raw: RAW });
      for (const [claim, bytes] of [
        ["a list of 4,294,967,295 elements", [0xdd, 0xff, 0xff, 0xff, 0xff]],
        ["a map of 4,294,967,295 fields", [0xdf, 0xff, 0xff, 0xff, 0xff]],
        ["a string of 4,294,967,295 bytes", [0xdb, 0xff, 0xff, 0xff, 0xff]],
        ["binary of 4,294,967,295 bytes", [0xc6, 0xff, 0xff, 0xff, 0xff]],
        ["an extension of 4,294,967,295 bytes", [0xc9, 0xff, 0xff, 0xff, 0xff, 0x01]],
        ["500 nested lists of 65,535 elements", new Array(500).fill([0xdc, 0xff, 0xff]).flat()],
      ] as const) {
        await refused(t, `a ping that claims ${claim}`, "ping", rawPack(message, bytes), "parse_error", {
          contentType,
        });
      }
      await expectServing(t, "messages with false lengths");
    },
  }),
];

/** Texts with a meaning in databases, patterns, paths or shells. */
const LOADED_TEXTS = [
  "' OR '1'='1",
  "'; DROP TABLE entries; --",
  '" OR ""="',
  "a') OR (1=1",
  "%",
  ".*",
  "\\",
  "\\'",
  "../../etc/passwd",
  "{{7*7}}",
  "$where",
  "a\u0000b",
  "NULL",
  "\u202egnirts",
];

const textChecks: readonly Check[] = [
  memoryCheck({
    id: "hostile/texts-are-data",
    clauses: ["CRIT-1", "CRIT-2", "FORGET-1"],
    async run({ caller, entry, expect }) {
      const entries = LOADED_TEXTS.map((text) =>
        entry({ key: { text }, content: text, tags: [text], group: text, source: text, metadata: { text } }),
      );
      const { errors } = await caller.store(entries);
      expect.equal(errors, [], "errors of a store of texts with special characters");
      for (const text of LOADED_TEXTS) {
        for (const criteria of [
          { tags: [text] },
          { group: text },
          { match: { text } },
          { where: { field: "metadata.text", op: "eq", value: text } as const },
        ]) {
          const found = (await caller.retrieve({ ...criteria, limit: 100 })).entries;
          const what = `contents found by ${JSON.stringify(criteria)}, of ${entries.length} entries`;
          expect.equal(
            found.map(({ content }) => content),
            [text],
            what,
          );
        }
      }
      for (const [at, text] of LOADED_TEXTS.entries()) {
        const { deleted } = await caller.forget({ tags: [text] });
        const what = `deleted of a forget by the tag ${JSON.stringify(text)}, of ${entries.length - at} entries`;
        expect.equal(deleted, 1, what);
      }
    },
  }),
  memoryCheck({
    id: "hostile/names-of-prototypes-are-data",
    clauses: ["CRIT-8", "CRIT-16", "ENTRY-9"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ content: "plain", metadata: { lang: "en" } }));
      for (const name of ["constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__"]) {
        for (const field of [`metadata.${name}`, `key.${name}`]) {
          const { total } = await caller.retrieve({ where: { field, op: "exists", value: true } });
          expect.equal(total, 0, `total of a retrieve where ${field} exists, of entries without it`);
        }
        const { errors } = await caller.store(entry({ key: { [name]: name }, metadata: { [name]: name } }));
        expect.equal(errors, [], `errors of a store of an entry with ${name} in key and metadata`);
        const { total } = await caller.retrieve({ match: { [name]: name } });
        expect.equal(
          total,
          1,
          `total of a retrieve with match {${name}: "${name}"}, of one entry with such a key`,
        );
      }
    },
  }),
  hostCheck({
    id: "hostile/fields-of-prototypes-are-unknown",
    clauses: ["ENV-5", "ENV-2"],
    async run(t) {
      for (const name of ["constructor", "toString", "hasOwnProperty", "prototype"]) {
        const what = `a retrieve with the field ${name}`;
        const sent = request(t, "retrieve", { tier: t.tier, [name]: { a: 1 } });
        const { detail } = await refused(t, what, "retrieve", sent, "schema_violation");
        t.expect.equal(detail.path, name, `detail.path of the error to ${what}`);
        await refused(t, `a message of type ${name}`, "ping", { type: name }, "invalid_message");
      }
      const polluting =
        '{"type":"ping","__proto__":{"limit":0,"dry_run":true},"constructor":{"prototype":{"limit":0}}}';
      await answer(t, polluting, "ping", polluting);
      await t.caller.store(t.entry());
      t.expect.equal((await storedEntries(t)).length, 1, `entries of a retrieve after ${polluting}`);
    },
  }),
];

const numberCheck = hostCheck({
  id: "hostile/huge-numbers",
  clauses: ["ENV-VALUE-3", "LIMIT-6"],
  async run(t) {
    const digits = "9".repeat(400);
    for (const [operation, field] of [
      ["retrieve", "limit"],
      ["retrieve", "since"],
      ["ping", "deadline_ms"],
      ["ping", "ts"],
    ] as const) {
      for (const text of [digits, `-${digits}`, "1e999", `1e${"9".repeat(50)}`, `${digits}.5`]) {
        const what = `a ${operation} with ${field}: ${text.slice(0, 20)}${text.length > 20 ? "…" : ""}`;
        const sent = rawJson(request(t, operation, { [field]: RAW }), text);
        await refused(t, what, operation, sent, ["schema_violation", "parse_error"]);
      }
    }
    await accepted(
      t,
      "a ping with a number of 5,000 decimals",
      "ping",
      rawJson(request(t, "ping", { x_n: RAW }), `0.${"3".repeat(5_000)}`),
    );
  },
});

const wholeCheck = hostCheck({
  id: "hostile/bytes-of-any-kind-are-answered",
  clauses: ["ERR-10", "ENC-4"],
  async run(t) {
    const codes = ["parse_error", "invalid_message"] as const;
    for (let first = 0; first < 256; first += 5) {
      const bytes = Uint8Array.of(first, ...Array.from({ length: 7 }, () => t.random.integer(0, 255)));
      const what = `the bytes ${Buffer.from(bytes).toString("hex")} without a Content-Type`;
      await refused(t, what, "ping", bytes, codes, { contentType: null });
    }
    const empty = encodeMessage({}, "msgpack");
    await refused(t, "an empty map in MessagePack", "ping", empty, "invalid_message", { contentType: null });
    await expectServing(t, "messages of random bytes");
  },
});

export const hostileChecks: readonly Check[] = [
  ...deepChecks,
  ...sizeChecks,
  ...textChecks,
  numberCheck,
  wholeCheck,
  ...hostileFuzzChecks,
];
