import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import { entryAccepted, entryRefused, refused, request } from "../../fixtures/bare-messages.js";
import { foundIds } from "../../fixtures/found-ids.js";
import { expectDetail } from "../../fixtures/limits-detail.js";
import { expectFirstProblem, expectFormFirst } from "../../fixtures/problems-in-order.js";
import { rawJson } from "../../fixtures/raw-values.js";
import { textPlaces } from "../../fixtures/text-places.js";
import type { EntryInput } from "../../memory-agent.js";

const ENTRY_BYTES = 262_144;

/** Characters with the number of bytes that each takes as JSON in UTF-8. */
const CHARACTERS: readonly (readonly [what: string, character: string, bytes: number])[] = [
  ["letters of two bytes", "é", 2],
  ["letters of three bytes", "記", 3],
  ["pairs of surrogates, of four bytes", "\u{1F98A}", 4],
  ["quotation marks, which JSON escapes in two bytes", '"', 2],
];

/** Returns an entry of exactly `bytes` bytes as JSON that consists of the character. */
function entryOf(t: HostContext, character: string, each: number, bytes: number): EntryInput {
  const empty = { ...t.entry(), content: "" };
  const room = bytes - Buffer.byteLength(JSON.stringify(empty));
  const content = character.repeat(Math.floor(room / each)) + "x".repeat(room % each);
  return { ...empty, content };
}

const sizeChecks: readonly Check[] = [
  hostTierCheck({
    id: "basic/entry-size-is-in-bytes",
    clauses: ["LIMIT-1", "LIMIT-3"],
    profile: "basic",
    async run(t) {
      const limit = { name: "entryBytes", max: ENTRY_BYTES, of: "its bytes as JSON" };
      for (const [what, character, bytes] of CHARACTERS) {
        const sent = (size: number) => request(t, "store", { entries: [entryOf(t, character, bytes, size)] });
        await entryAccepted(t, `an entry of ${ENTRY_BYTES} bytes, of ${what}`, sent(ENTRY_BYTES));
        const over = `an entry of ${ENTRY_BYTES + 1} bytes, of ${what}`;
        const error = await entryRefused(t, over, sent(ENTRY_BYTES + 1), "too_large");
        expectDetail(t, error, limit, ENTRY_BYTES + 1, over);
      }
    },
  }),
  hostTierCheck({
    id: "basic/fractions-of-a-ttl-count",
    clauses: ["ENTRY-4", "ENTRY-18", "ENV-9", "RET-16"],
    profile: "basic",
    async run({ caller, entry, expect, passTime }) {
      const ttls = { ends: 0.25, later: 2.75, long: 900.125 };
      const stored = Object.entries(ttls).map(([id, ttl]) => entry({ key: { id }, ttl }));
      await caller.store([entry({ key: { id: "stays" } }), ...stored]);
      await passTime(0.5);
      const { entries } = await caller.retrieve();
      const found = foundIds({ entries });
      expect.equal(found.includes("ends"), false, "whether an entry with ttl 0.25 is found after 0.5 s");
      expect.equal(found.includes("stays"), true, "whether an entry without ttl is found after 0.5 s");
      for (const { key, ttl, expires_at, timestamps } of entries) {
        if (key.id === "stays") continue;
        const given = ttls[key.id as keyof typeof ttls];
        expect.equal(ttl, given, `ttl of an entry stored with ttl ${given}`);
        const rest = expires_at! - timestamps.updated;
        expect.near(rest, given, 0.01, `expires_at minus updated of an entry stored with ttl ${given}`);
      }
    },
  }),
];

/** Versions of an entry. Each differs from the one before in a single field that an agent can read. */
const VERSIONS: readonly Partial<EntryInput>[] = [
  { content: "a" },
  { content: "A" },
  { content: "A " },
  { content: 1 },
  { content: "1" },
  { content: true },
  { content: null },
  { content: "null" },
  { content: [1, 2] },
  { content: [2, 1] },
  { content: { a: 1 } },
  { content: { a: 1, b: null } },
  { content: { a: 1, b: null }, tags: ["x", "y"] },
  { content: { a: 1, b: null }, tags: ["y", "x"] },
  { content: { a: 1, b: null }, tags: ["y", "x", "x"] },
  { content: { a: 1, b: null }, tags: ["y", "X"] },
  { content: { a: 1, b: null } },
  { content: { a: 1, b: null }, source: "another" },
  { content: { a: 1, b: null }, source: "Another" },
  { content: { a: 1, b: null }, source: "Another", ttl: 900 },
  { content: { a: 1, b: null }, source: "Another", ttl: 900 },
  { content: { a: 1, b: null }, source: "Another", ttl: 900.5 },
  { content: { a: 1, b: null }, source: "Another" },
];

const answerChecks: readonly Check[] = [
  hostTierCheck({
    id: "basic/unchanged-only-where-nothing-changed",
    clauses: ["STORE-8", "ENTRY-13", "UPD-1", "UPD-4"],
    profile: "basic",
    async run({ caller, entry, expect }) {
      const key = { id: "one" };
      let last = 0;
      for (const [at, version] of VERSIONS.entries()) {
        const { receipts } = await caller.store(entry({ key, ...version }));
        const what = `of a store of ${JSON.stringify(version)} over ${JSON.stringify(VERSIONS[at - 1] ?? "nothing")}`;
        expect.equal(receipts[0]?.outcome, at === 0 ? "created" : "updated", `outcome ${what}`);
        expect.holds(
          receipts[0]!.revision > last,
          `revision ${what}`,
          receipts[0]?.revision,
          `above ${last}`,
        );
        last = receipts[0]!.revision;
        const [found] = (await caller.retrieve()).entries;
        const { content, tags = [], source = caller.agent, ttl = null } = version;
        expect.equal(
          { content: found?.content, tags: found?.tags, source: found?.source, ttl: found?.ttl },
          { content, tags, source, ttl },
          `fields that are read after a store of ${JSON.stringify(version)}`,
        );
      }
      const same = entry({ key, ...VERSIONS.at(-1)! });
      const { receipts } = await caller.store(same);
      const [found] = (await caller.retrieve()).entries;
      expect.equal(
        found?.revision,
        receipts[0]?.revision,
        "revision that is read after the same store again",
      );
      const outcomes = [receipts[0]?.outcome, receipts[0]!.revision > last];
      const isUnchanged = receipts[0]?.outcome === "unchanged";
      expect.equal(
        outcomes,
        isUnchanged ? ["unchanged", false] : ["updated", true],
        "outcome of the same store again, and whether it has another revision",
      );
    },
  }),
  hostCheck({
    id: "basic/first-problem-is-answered",
    clauses: ["ERR-16", "BASIC-2"],
    profile: "basic",
    async run(t) {
      await expectFirstProblem(t);
      await expectFormFirst(t, { metadata: { lang: "en" }, if_revision: 0, embedding: [1, 0] });
    },
  }),
  hostCheck({
    id: "basic/lone-surrogates-refused-in-every-text",
    clauses: ["ENV-VALUE-4", "ENV-VALUE-1"],
    profile: "basic",
    async run(t) {
      for (const [place, operation, message] of textPlaces(t)) {
        for (const text of ['"\\ud83e"', '"a\\udc00b"', '{"\\ud800":1}']) {
          const what = `a ${operation} with ${text} as ${place}`;
          await refused(t, what, operation, rawJson(message, text), ["schema_violation", "parse_error"]);
        }
      }
    },
  }),
];

/** Sizes, times and answers at their limits, in hosts of the profile `basic`. */
export const basicEdgeChecks: readonly Check[] = [...sizeChecks, ...answerChecks];
