import { scopeId } from "@membus/protocol";
import type { Row } from "../../row.js";
import { expectEqual, expectTrue } from "../expectation.js";
import { ExpectedRows } from "../expected-rows.js";
import { loadRows } from "../read-rows.js";
import type { StorageCheck } from "../storage-check.js";
import { DIMENSIONS, EMBEDDER, keyHashOf, makeRow, ownScope, scoped } from "../test-rows.js";
import type { Workbench } from "../workbench.js";

const ALICE = ownScope("alice");

/** Expects the rows unchanged, immediately and after reopening. */
async function expectUnchanged(bench: Workbench, rows: readonly Row[]): Promise<void> {
  const directory = await bench.directory();
  const expectedRows = new ExpectedRows();
  const storage = await bench.open(directory);
  await expectedRows.append(storage, scoped(ALICE, rows));
  await expectedRows.expectIn(storage, "right after append");
  await storage.sync();
  await expectedRows.expectIn(await bench.reopen(storage, directory), "after reopening");
}

const MAX = Number.MAX_SAFE_INTEGER;

const numbers: StorageCheck = {
  id: "values/numbers-are-exact",
  rule: "Numbers are doubles and are returned exactly: ids and revisions are integers up to 2^53 - 1.",
  run: (bench) =>
    expectUnchanged(bench, [
      makeRow(0, { importance: 0, occurredAt: 0, seq: 0, revision: 1 }),
      makeRow(2 ** 31, { importance: 1, occurredAt: -62_135_596_800.5, expiresAt: 1_900_000_000.125 }),
      makeRow(2 ** 32 + 1, {
        importance: 0.1,
        created: 1_700_000_000.123456,
        updated: 1_700_000_000.1 + 0.2,
      }),
      makeRow(MAX, { importance: 1 / 3, revision: MAX, seq: MAX - 1, expiresAt: 1e300, occurredAt: 5e-324 }),
    ]),
};

/** Texts that JSON of the kit and names of agents can contain. The protocol rejects lone surrogates. */
const ODD_TEXTS = [
  "ends in blanks  \t",
  " begins with one",
  "line\u2028separator, paragraph\u2029separator, next\u0085line",
  "CR\rLF\nCRLF\r\nTAB\t",
  "\ufeffmarks an order of bytes",
  "e\u0301 is no \u00e9, \u212b no \u00c5",
  "\u{1f600} beyond the first plane, \u{10ffff} the last of all",
  "'; drop table rows; -- \" ` $1 ? %s \\ \\u0000 \\ud800",
  "NUL\u0000in the midst, and at the end\u0000",
  "",
];

const texts: StorageCheck = {
  id: "values/texts-byte-for-byte",
  rule: "Texts are well-formed Unicode and are returned byte for byte: nothing is trimmed, normalised, parsed or cut.",
  run: (bench) =>
    expectUnchanged(
      bench,
      ODD_TEXTS.map((text, index) => {
        const json = JSON.stringify(text);
        const content = `{"z":1.0,"a": ${json},"\u2028":[[],{}],"n":1e2}`;
        return makeRow(index + 1, {
          ...{ group: text, analyzer: `analyzer ${text}`, embedder: `embedder ${text}` },
          body: `{"content":${content},"ttl":null,"text":${json}}`,
          facets: `{"tags":[${json},${json}],"key":{"id":${json}},"author":${json},"source":"${index}"}`,
        });
      }),
    ),
};

const LARGE_CHARACTERS = 200 * 1024;
const NESTED_LEVELS = 60;
const WIDE_FIELDS = 12_000;

const large: StorageCheck = {
  id: "values/large-contents",
  rule: "Contents of 200 KiB, flat and nested, are returned byte for byte, and so are small ones next to them.",
  run: (bench) => {
    const wide = Array.from({ length: WIDE_FIELDS }, (_, index) => [`field ${index}`, [index]]);
    const deep = `${'{"in":['.repeat(NESTED_LEVELS / 2)}1${"]}".repeat(NESTED_LEVELS / 2)}`;
    const contents = [
      JSON.stringify("\u00e9x\u{1f600}".repeat(LARGE_CHARACTERS / 4)),
      JSON.stringify(Object.fromEntries(wide)),
      deep,
      '""',
    ];
    const tags = Array.from({ length: 256 }, (_, index) => `${index} ${"t".repeat(240)}`);
    const facets = JSON.stringify({ key: { id: "k".repeat(4_000) }, tags, source: "s", author: "a" });
    const group = "g".repeat(4_096);
    return expectUnchanged(
      bench,
      contents.map((content, index) =>
        makeRow(index + 1, { body: `{"content":${content},"ttl":null}`, facets, group }),
      ),
    );
  },
};

const vectors: StorageCheck = {
  id: "values/vectors-and-terms",
  rule: "Terms and vectors are returned bit for bit. A row may have neither. An absent vector is not a zero vector.",
  run: async (bench) => {
    await expectUnchanged(bench, [
      makeRow(1, { vector: null, terms: null, embedder: "" }),
      makeRow(2, { vector: new Float32Array(DIMENSIONS), terms: new Uint32Array(0) }),
      makeRow(3, { vector: Float32Array.from([1e-45, 3.4e38, -3.4e38, 0.1, -0.1, 1 / 3, 1, -1]) }),
      makeRow(4, {
        terms: Uint32Array.from({ length: 20_000 }, (_, index) => (index * 2_654_435_761) % 2 ** 32),
      }),
      makeRow(5, { vector: null, embedder: EMBEDDER }),
      makeRow(6, { terms: Uint32Array.of(0, 2 ** 32 - 1, 0) }),
    ]);
    await keepsNoOtherDimensions(bench);
  },
};

/** Checks a row with a vector of another length, which need not be kept. */
async function keepsNoOtherDimensions(bench: Workbench): Promise<void> {
  const storage = await bench.open(await bench.directory());
  const other = makeRow(1, {
    vector: new Float32Array(DIMENSIONS * 2).fill(0.5),
    embedder: "another-embedder",
  });
  await storage.append(scoped(ALICE, [other, makeRow(2)]));
  const [row, own] = await loadRows(storage, scopeId(ALICE));
  expectEqual(row?.vector, null, "the vector of a row with another vector length");
  expectTrue(
    row?.embedder !== "" && row?.embedder !== EMBEDDER,
    "`embedder` of a row with another vector length",
    `its own, or a text that is neither "" nor ${EMBEDDER}`,
    row?.embedder,
  );
  expectEqual(own?.vector, makeRow(2).vector, "the vector of the row next to it");
}

const versions: StorageCheck = {
  id: "values/versions-of-a-key",
  rule: "Rows are versions: several of one key, even of one revision, exist at the same time until they are removed.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    let storage = await bench.open(directory);
    const keyHash = keyHashOf("same key");
    await expectedRows.append(storage, scoped(ALICE, [makeRow(1, { keyHash }), makeRow(2, { keyHash })]));
    await expectedRows.append(
      storage,
      scoped(ALICE, [makeRow(3, { keyHash, revision: makeRow(2).revision })]),
    );
    await expectedRows.expectIn(storage, "with three versions of a key");
    await expectedRows.remove(storage, ALICE, [2]);
    await storage.sync();
    storage = await bench.reopen(storage, directory);
    await expectedRows.expectIn(storage, "after the second of three versions of a key is removed");
  },
};

export const valueChecks = [numbers, texts, large, vectors, versions];
