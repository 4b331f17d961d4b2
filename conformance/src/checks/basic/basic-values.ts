import type { Message } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
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
import { expectDetail, letters, names } from "../../fixtures/limits-detail.js";
import { RAW, rawJson } from "../../fixtures/raw-values.js";

/** Values in JSON notation. */
const BAD_VALUES: readonly (readonly [what: string, text: string])[] = [
  ["a number beyond all doubles", "1e999"],
  ["a negative one", "-1e999"],
  ["an integer of 2^53", "9007199254740992"],
  ["an integer of -2^60", "-1152921504606846976"],
  ["an unpaired high surrogate", '"a\\ud800"'],
  ["an unpaired low surrogate", '"\\udc00b"'],
  ["an unpaired surrogate in a field name", '{"\\ud83e":1}'],
  ["a field __proto__", '{"__proto__":{"a":1}}'],
  ["NaN", "NaN"],
  ["Infinity", "-Infinity"],
];

/** Values that return unchanged, or as another notation of the same value. */
const GOOD_VALUES: readonly (readonly [text: string, value: unknown])[] = [
  ["null", null],
  ["false", false],
  ["0", 0],
  ['""', ""],
  ["[]", []],
  ["{}", {}],
  ["9007199254740991", 9_007_199_254_740_991],
  ["-9007199254740991", -9_007_199_254_740_991],
  ["1.2e18", 1.2e18],
  ["0.1", 0.1],
  ["5e-324", 5e-324],
  ["1.7976931348623157e308", 1.7976931348623157e308],
  ['"\\ud83e\\udd8a \\u0000\\u2028\\\\\\"/\\u00e9"', '🦊 \u0000\u2028\\"/é'],
  ['[1,[true,null],{"a":{"b":[""]}}]', [1, [true, null], { a: { b: [""] } }]],
  ['{"constructor":1,"":2,"ß":3}', { constructor: 1, "": 2, ß: 3 }],
];

const valueChecks: readonly Check[] = [
  hostTierCheck({
    id: "basic/values-come-back",
    clauses: ["ENTRY-17", "ENV-VALUE-3"],
    profile: "basic",
    async run(t) {
      for (const [text, value] of GOOD_VALUES) {
        const key = { value: text };
        const sent = rawJson(request(t, "store", { entries: [t.entry({ key, content: RAW })] }), text);
        await entryAccepted(t, `an entry with the content ${text}`, sent);
        const { entries } = await t.caller.retrieve({ keys: [key] });
        t.expect.equal(entries[0]?.content, value, `content of an entry stored with ${text}`);
      }
    },
  }),
  hostTierCheck({
    id: "basic/values-of-no-json-are-refused",
    clauses: ["ENV-VALUE-1", "ENV-VALUE-2", "ENV-VALUE-3", "ENV-VALUE-4", "ENV-VALUE-5"],
    profile: "basic",
    async run(t) {
      for (const [what, text] of BAD_VALUES) {
        for (const [place, operation, message] of [
          ["content", "store", request(t, "store", { entries: [t.entry({ content: { a: [RAW] } })] })],
          ["a key", "store", request(t, "store", { entries: [t.entry({ key: { id: RAW } })] })],
          ["an x_ field", "ping", request(t, "ping", { x_raw: RAW })],
        ] as const) {
          const sent = rawJson(message, text);
          const codes = ["schema_violation", "parse_error"] as const;
          await refused(t, `a ${operation} with ${what} (${text}) in ${place}`, operation, sent, codes);
        }
      }
      t.expect.equal(await storedEntries(t), [], "entries after stores that are refused");
    },
  }),
  hostCheck({
    id: "basic/errors-have-their-form",
    clauses: ["ERR-1", "ERR-2", "ERR-4", "ERR-6", "ERR-7"],
    profile: "basic",
    async run(t) {
      const cases: readonly (readonly [
        code: string,
        number: string,
        Operation,
        Message | string,
        path?: string,
      ])[] = [
        ["parse_error", "400", "ping", '{"type":"ping"'],
        ["invalid_message", "400", "store", request(t, "retrieve")],
        ["version_mismatch", "400", "retrieve", request(t, "retrieve", { version: "2.0" })],
        ["schema_violation", "400", "retrieve", request(t, "retrieve", { limit: -1 }), "limit"],
        ["schema_violation", "400", "forget", request(t, "forget", { tags: ["a", 7] }), "tags[1]"],
        ["schema_violation", "400", "retrieve", request(t, "retrieve", { keys: ["a", "b", 5] }), "keys[2]"],
        ["schema_violation", "400", "store", request(t, "store"), "entries"],
        ["too_large", "413", "retrieve", request(t, "retrieve", { tags: names(257) })],
        ["unsupported", "501", "retrieve", request(t, "retrieve", { cursor: "a" })],
      ];
      for (const [code, number, operation, sent, path] of cases) {
        const what = `the error to ${JSON.stringify(sent).slice(0, 120)} on the subject of a ${operation}`;
        const { message, headers } = await answer(t, what, operation, sent);
        const { type, capability_name, retryable } = message;
        t.expect.equal(
          { type, code: message.code, retryable, capability_name },
          { type: "error", code, retryable: false, capability_name: "memory" },
          `type, code, retryable and capability_name of ${what}`,
        );
        t.expect.holds(Boolean(message.message), `message of ${what}`, message.message, "a text");
        const detail = message.detail as Message;
        t.expect.holds(
          typeof detail === "object" && detail !== null,
          `detail of ${what}`,
          detail,
          "an object",
        );
        if (path !== undefined) t.expect.equal(detail.path, path, `detail.path of ${what}`);
        t.expect.equal(
          headers["Nats-Service-Error-Code"],
          number,
          `header Nats-Service-Error-Code of ${what}`,
        );
        t.expect.holds(
          Boolean(headers["Nats-Service-Error"]),
          `header Nats-Service-Error of ${what}`,
          headers,
        );
      }
    },
  }),
];

/** Name, maximum and limited value. Includes a query for hosts that support one. */
const OF_REQUESTS: readonly (readonly [name: string, max: number, Operation, (size: number) => Message])[] = [
  ["tagLength", 256, "retrieve", (size) => ({ tags: [letters(size)] })],
  ["tags", 256, "retrieve", (size) => ({ tags: names(size) })],
  ["tags", 256, "forget", (size) => ({ tags: names(size) })],
  ["criteriaKeys", 1_000, "retrieve", (size) => ({ keys: names(size) })],
  ["criteriaKeys", 1_000, "forget", (size) => ({ keys: names(size) })],
  ["idLength", 128, "retrieve", (size) => ({ session_id: letters(size) })],
  ["idLength", 128, "ping", (size) => ({ session_id: `🦊${letters(size - 2)}` })],
];
const QUERY: (typeof OF_REQUESTS)[number] = [
  "queryLength",
  8_192,
  "retrieve",
  (size) => ({ query: letters(size) }),
];

const OF_ENTRIES: readonly (readonly [name: string, max: number, (size: number) => Message])[] = [
  ["tagLength", 256, (size) => ({ tags: ["a", letters(size)] })],
  ["tags", 256, (size) => ({ tags: names(size) })],
  ["stringLength", 4_096, (size) => ({ source: letters(size) })],
  ["stringLength", 4_096, (size) => ({ source: `🦊${letters(size - 2)}` })],
];

const RANGES: readonly (readonly [field: string, within: readonly number[], without: readonly unknown[]])[] =
  [
    ["limit", [0, 1, 1_000], [-1, 1_001, 1.5, "10", true]],
    ["min_score", [0, 0.5, 1], [-0.1, 1.01, "1", true]],
  ];
const ENTRY_RANGES: typeof RANGES = [
  ["score", [0, 1], [-0.1, 1.01, "1", true]],
  ["ttl", [0, 1e6, 0.5], [-1, "60", true]],
];

const limitChecks: readonly Check[] = [
  hostCheck({
    id: "basic/limits-of-requests",
    clauses: ["LIMIT-2", "LIMIT-3", "LIMIT-5"],
    profile: "basic",
    async run(t) {
      const searches = t.features.full_text || t.features.similarity;
      for (const [name, max, operation, fields] of searches ? [...OF_REQUESTS, QUERY] : OF_REQUESTS) {
        const tier = operation === "ping" ? {} : { tier: t.tier };
        const sent = (size: number) => request(t, operation, { ...tier, ...fields(size) });
        await accepted(t, `a ${operation} at the limit ${name} of ${max}`, operation, sent(max));
        const over = `a ${operation} of ${max + 1}, one over the limit ${name}`;
        const error = await refused(t, over, operation, sent(max + 1), "too_large");
        const limit = { name, max, of: name };
        expectDetail(t, error, limit, max + 1, over);
      }
    },
  }),
  hostTierCheck({
    id: "basic/limits-of-entries",
    clauses: ["LIMIT-2", "LIMIT-3", "LIMIT-5"],
    profile: "basic",
    async run(t) {
      for (const [name, max, fields] of OF_ENTRIES) {
        const sent = (size: number) => request(t, "store", { entries: [{ ...t.entry(), ...fields(size) }] });
        await entryAccepted(t, `an entry at the limit ${name} of ${max}`, sent(max));
        const over = `an entry of ${max + 1}, one over the limit ${name}`;
        const error = await entryRefused(t, over, sent(max + 1), "too_large");
        const limit = { name, max, of: name };
        expectDetail(t, error, limit, max + 1, over);
      }
    },
  }),
  hostTierCheck({
    id: "basic/numbers-in-range",
    clauses: ["LIMIT-6"],
    profile: "basic",
    async run(t) {
      for (const [field, within, without] of RANGES) {
        const sent = (value: unknown) => request(t, "retrieve", { tier: t.tier, [field]: value });
        for (const value of within)
          await accepted(t, `a retrieve with ${field} ${value}`, "retrieve", sent(value));
        for (const value of without) {
          const what = `a retrieve with ${field} ${JSON.stringify(value)}`;
          await refused(t, what, "retrieve", sent(value), "schema_violation");
        }
      }
      for (const [field, within, without] of ENTRY_RANGES) {
        const sent = (value: unknown) => request(t, "store", { entries: [{ ...t.entry(), [field]: value }] });
        for (const value of within) await entryAccepted(t, `an entry with ${field} ${value}`, sent(value));
        for (const value of without) {
          await entryRefused(
            t,
            `an entry with ${field} ${JSON.stringify(value)}`,
            sent(value),
            "schema_violation",
          );
        }
      }
    },
  }),
  hostCheck({
    id: "basic/levels-are-bounded",
    clauses: ["LIMIT-2", "LIMIT-3"],
    profile: "basic",
    async run(t) {
      // The message is level 0, its list of entries 1, the entry 2, the content 3.
      const lists = (levels: number): unknown => (levels === 0 ? 1 : [lists(levels - 1)]);
      const sent = (levels: number) =>
        request(t, "store", { entries: [t.entry({ content: lists(levels - 2) as never })] });
      await entryAccepted(t, "a content of 64 levels below the message", sent(64));
      const over = "a store of 65 levels below the message";
      const limit = { name: "depth", max: 64, of: "levels" };
      expectDetail(t, await refused(t, over, "store", sent(65), "too_large"), limit, 65, over);
      t.expect.equal((await storedEntries(t)).length, 1, "entries after stores of 64 and 65 levels");
    },
  }),
];

/** Values and limits in JSON, for the fields of the profile `basic`. */
export const basicValuesChecks: readonly Check[] = [...valueChecks, ...limitChecks];
