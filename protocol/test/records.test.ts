import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { RECORD_NAMES } from "../generate/json-schemas.js";
import { type MemoryEntry, parseStoreEntry } from "../src/index.js";
import { isRecordKind, RECORD_KINDS, readRecord, recordEntry, recordProblem } from "../src/records/index.js";
import { GOLDEN_RECORDS, type GoldenRecord } from "./record-files.js";

const file = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8");

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
const validators = new Map(
  RECORD_NAMES.map((name) => [name, ajv.compile(JSON.parse(file(`schemas/records/${name}.json`)))]),
);

const ALL = [...GOLDEN_RECORDS].flatMap(([kind, records]) =>
  records.map((golden) => ({ kind, golden, title: `${kind}: ${golden.name}` })),
);
const VALID = ALL.filter(({ golden }) => golden.error === undefined);
const INVALID = ALL.filter(({ golden }) => golden.error !== undefined);

const asRead = ({ entry }: GoldenRecord) => entry as Pick<MemoryEntry, "key" | "content" | "metadata">;

describe("golden records", () => {
  it("include several valid and invalid records of every kind", () => {
    expect([...GOLDEN_RECORDS.keys()].sort()).toEqual([...Object.keys(RECORD_KINDS), "head", "part"].sort());
    for (const [kind, records] of GOLDEN_RECORDS) {
      const invalid = records.filter(({ error }) => error !== undefined);
      expect(invalid.length, kind).toBeGreaterThan(1);
      if (kind !== "head") expect(records.length - invalid.length, kind).toBeGreaterThan(1);
    }
    expect(new Set(ALL.map(({ title }) => title)).size).toBe(ALL.length);
  });

  it.each(VALID)("$title: is a valid entry with the expected content", ({ kind, golden }) => {
    expect(() => parseStoreEntry(golden.entry)).not.toThrow();
    expect(recordProblem(asRead(golden))).toBeUndefined();
    const validate = validators.get(kind)!;
    expect(validate(golden.entry) ? "" : ajv.errorsText(validate.errors)).toBe("");
  });

  it.each(VALID.filter(({ kind }) => isRecordKind(kind)))(
    "$title: is unchanged by reading and writing",
    ({ kind, golden }) => {
      if (!isRecordKind(kind)) throw new Error(kind);
      const record = readRecord(asRead(golden), kind);
      const { key, content, metadata } = golden.entry;
      expect(recordEntry(record!)).toEqual({ key, content, metadata });
      const other = kind === "fact" ? "message" : "fact";
      expect(readRecord(asRead(golden), other)).toBeUndefined();
    },
  );

  it.each(INVALID)("$title: is rejected with the path", ({ kind, golden }) => {
    expect(recordProblem(asRead(golden))?.path).toBe(golden.error!.path);
    if (isRecordKind(kind)) expect(readRecord(asRead(golden), kind)).toBeUndefined();
    expect(validators.get(kind)!(golden.entry)).toBe(golden.schema === false);
  });
});

describe("an entry without a kind", () => {
  it.each([undefined, {}, { kind: "dream" }, { kind: "toString" }, { kind: "head" }, { kind: ["message"] }])(
    "is valid: %j",
    (metadata) => {
      const entry = { key: { any: 1 }, content: null, ...(metadata && { metadata }) };
      expect(recordProblem(entry as never)).toBeUndefined();
      expect(readRecord(entry as never, "message")).toBeUndefined();
    },
  );
});

describe("the chapter", () => {
  it("contains only valid records", () => {
    const shown = [...file("spec/07-records.md").matchAll(/```jsonc\n([\s\S]+?)\n```/g)].map(([, text]) =>
      JSON.parse(text!),
    );
    expect(shown.length).toBeGreaterThan(1);
    for (const entry of shown) {
      expect(() => parseStoreEntry(entry)).not.toThrow();
      expect(recordProblem(entry)).toBeUndefined();
    }
  });

  it("lists every kind in its table", () => {
    const rows = [...file("spec/07-records.md").matchAll(/^\| `(\w+)` \| `\{/gm)].map(([, kind]) => kind);
    expect(rows).toEqual(Object.keys(RECORD_KINDS));
  });
});
