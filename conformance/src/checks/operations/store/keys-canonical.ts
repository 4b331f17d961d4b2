import { type Check, hostTierCheck } from "../../../catalogue/check.js";
import type { HostContext } from "../../../context.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import type { EntryInput } from "../../../memory-agent.js";

/** A key with its hash from other implementations of RFC 8785 and SHA-256. */
type Hashed = readonly [EntryInput["key"], string];

/** Names that sort differently by code points, by bytes, as numbers, by language or without case. */
const SORTED: readonly Hashed[] = [
  [{ "\u{1f600}": 1, "\uff5e": 2 }, "5848fd4854a6ce2c6f23359368eef2f1a8d667176e91a9b74a92b7086fa7b207"],
  [
    { id: { "\ue000": [1], "\u{10ffff}": "x", z: null } },
    "572e39a9a022057b13ef0b2218f2df38f2fdcaa27769cbf80f53e71f0909d333",
  ],
  [
    { "a\ufb33": 1, "a\u{1d11e}": 2, a: 3 },
    "c83efe1017796f7c3a3b7155bd60d2af884312be92c40f7839254017339c987c",
  ],
  [
    { 10: "ten", 9: "nine", 1: "one", "01": "not one" },
    "1911c1c11b6bd141a61ce349544ce12ceca6cfeeb60079cd56f2a6f7941be9c8",
  ],
  [
    { b: 1, B: 2, a: 3, _: 4, "\u00e9": 5, e: 6 },
    "76948376dc08f6e926cae8d3b6c573211d0f093ae981a165d46ad7edbe633073",
  ],
];

/** Values that libraries escape, round or write differently. */
const WRITTEN: readonly Hashed[] = [
  [{ q: "<a href='x'>&</a>" }, "67dd3965cf8ff9844ab9f5c9c3f6b07ec53005f7620c409ca96ed9773dc6c246"],
  [{ q: "\u2028\u2029\u007f" }, "c24f85bda8fefbc68872ab66c4aaabad038660552d8f8dd2a8d01ba70216214e"],
  [{ q: 'a/b\\c"d\u001f\t' }, "920db3f9e4765450a62fea0512813f9be65622dff8e28bb29c19b51f103f4ac0"],
  [{ n: 0.000001 }, "28343867a0be00aee19f81aa90cfd6c646878b9303fa15410d16bfd3f8894578"],
  [{ n: 1e21 }, "f1ee2b60ee95a3170fdc07a577e5f3514ced26867443d69da265acadead81007"],
  [{ n: 1.5e300 }, "51c98cbe81aa6082fbd6d88272ef7d1a8efc8d6f13eb16c82376139150676760"],
  [{ n: 5e-324 }, "cf4df7d2834198d284947133d3ec7a66f3d94e8d447cac6a0783324211b36d43"],
  [{ n: 100 }, "b39022c4ed96525c42cd0e7ce55308533962a655f1c19d5dac2f03e9dd995b2c"],
  [
    { l: ["\u00e9", "e\u0301", "\u{1f98a}"] },
    "1369f35519eef5e66ae75aa6e2057556fc32dd4e00a374de706047720f690f9c",
  ],
];

/** Expects the hash of each key in its receipt, and in the entry found by the hash. */
async function expectHashes(
  { caller, entry, expect }: HostContext,
  hashed: readonly Hashed[],
): Promise<void> {
  const { receipts, errors } = await caller.store(hashed.map(([key]) => entry({ key })));
  expect.equal(errors, [], `errors of a store of the keys ${JSON.stringify(hashed.map(([key]) => key))}`);
  for (const [at, [key, hash]] of hashed.entries()) {
    const shown = JSON.stringify(key);
    expect.equal(receipts[at]?.key_hash, hash, `key_hash in the receipt of the key ${shown}`);
    const named = await readEntry(caller, { $hash: hash });
    expect.equal(named?.key, key, `key of the entry that is found by the hash of the key ${shown}`);
  }
}

/** Canonical JSON in cases where common JSON libraries differ (clause KEY-2). */
export const keysCanonicalChecks: readonly Check[] = [
  hostTierCheck({
    id: "keys/names-are-sorted-by-code-units",
    clauses: ["KEY-2", "KEY-4"],
    run: (t) => expectHashes(t, SORTED),
  }),
  hostTierCheck({
    id: "keys/values-are-written-as-ecmascript-does",
    clauses: ["KEY-2", "KEY-4"],
    run: (t) => expectHashes(t, WRITTEN),
  }),
];
