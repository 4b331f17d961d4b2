import { describe, expect, it } from "vitest";
import {
  encodeMessage,
  type Json,
  keyHash,
  LIMITS,
  type MemoryEntry,
  type MemoryStoreRequest,
  type Message,
  parseStoreEntry,
} from "../src/index.js";
import { joinRecord, partKeys, recordEntry, recordProblem, splitRecord } from "../src/records/index.js";
import { GOLDEN_RECORDS } from "./record-files.js";

type EntryInput = MemoryStoreRequest["entries"][number];
type Read = Pick<MemoryEntry, "key" | "content" | "metadata">;

const asRead = (entry: EntryInput) => entry as unknown as Read;

function offload(content: { [name: string]: Json } & { text: string }): EntryInput {
  const key = { offload: "o" };
  const metadata = { tool: "shell", bytes: content.text.length };
  return {
    ...recordEntry({ kind: "offload", key, content, metadata }),
    tier: "episodic",
    group: "c",
    ttl: 60,
  };
}

// Quotes and multi-byte characters, which would grow if the parts were JSON within JSON.
const LARGE = offload({ text: 'é"\\\u0000🦊'.repeat(60_000), n: [1.2e18, 6.02e23, 0.1] });

describe("a record of any size", () => {
  it("is a single entry if it fits", () => {
    const small = offload({ text: "x".repeat(200_000) });
    expect(splitRecord(small)).toEqual([small]);
    expect(joinRecord(asRead(small), [])).toBe(small);
    expect(partKeys(asRead(small))).toEqual([]);
  });

  it("is split into valid entries with the head last, and joined without changes", () => {
    const entries = splitRecord(LARGE);
    const [parts, head] = [entries.slice(0, -1), entries.at(-1)!];
    expect(parts.length).toBe(6);
    for (const entry of entries) {
      parseStoreEntry(entry);
      expect(encodeMessage(entry as Message, "json").length).toBeLessThanOrEqual(LIMITS.entryBytes);
      expect(recordProblem(asRead(entry))).toBeUndefined();
      expect(entry).toMatchObject({ tier: "episodic", group: "c", ttl: 60 });
    }
    expect(parts.map(({ metadata, text }) => [metadata, text])).toEqual(
      parts.map(() => [{ kind: "part" }, ""]),
    );
    expect(head).toMatchObject({
      key: { offload: "o" },
      metadata: { kind: "offload", tool: "shell", parts: 6 },
    });
    expect(head.text?.startsWith('é"\\\u0000🦊é')).toBe(true);
    expect(partKeys(asRead(head))).toEqual(parts.map(({ key }) => key));
    const joined = joinRecord(asRead(head), parts.map(asRead).reverse());
    expect(joined).toEqual({ ...head, content: LARGE.content, metadata: LARGE.metadata });
  });

  it("cuts the text of a head that would exceed the limit of an entry", () => {
    const escaped = offload({ text: "\u0000".repeat(100_000) });
    const head = splitRecord(escaped).at(-1)!;
    expect(head.text).toHaveLength(16_384);
    expect(Buffer.byteLength(JSON.stringify(head))).toBeLessThan(LIMITS.entryBytes);
    expect(splitRecord(offload({ text: "x".repeat(400_000) })).at(-1)!.text).toHaveLength(65_536);
  });

  it("adds the head to the sources of the parts on request", () => {
    const whole = { ...LARGE, sources: ["a".repeat(64)] };
    const hash = "5769a842";
    const write = "w";
    const [plain, naming] = [splitRecord(whole, { write }), splitRecord(whole, { write, sources: true })];
    expect(plain.map(({ sources }) => sources)).toEqual([...Array(6).fill(undefined), whole.sources]);
    for (const part of naming.slice(0, -1)) {
      expect(part.sources).toEqual([keyHash({ offload: "o" })]);
      expect(part.sources![0]!.startsWith(hash)).toBe(true);
      parseStoreEntry(part);
      expect(encodeMessage(part as Message, "json").length).toBeLessThanOrEqual(LIMITS.entryBytes);
    }
    expect(naming.at(-1)).toEqual(plain.at(-1));
  });

  it("cannot be read with a missing, foreign or changed part", () => {
    const entries = splitRecord(LARGE);
    const [parts, head] = [entries.slice(0, -1).map(asRead), asRead(entries.at(-1)!)];
    expect(joinRecord(head, parts.slice(1))).toBeUndefined();
    expect(joinRecord(head, [])).toBeUndefined();
    const changed = parts.map((part, at) => (at === 3 ? { ...part, content: { base64: "AAAA" } } : part));
    expect(joinRecord(head, changed)).toBeUndefined();
    const ofOther = splitRecord({ ...LARGE, key: { offload: "p" } })
      .slice(0, -1)
      .map(asRead);
    expect(joinRecord(head, ofOther)).toBeUndefined();
    expect(joinRecord({ ...head, content: { parts: {} } }, parts)).toBeUndefined();
  });

  it("is not a head after an update that kept its metadata", () => {
    const replaced = { ...asRead(splitRecord(LARGE).at(-1)!), content: { text: "x" } };
    expect(joinRecord(replaced, [])).toBe(replaced);
    expect(partKeys(replaced)).toEqual([]);
  });

  it("is joined from the golden parts of another implementation", () => {
    const { entry, joined } = GOLDEN_RECORDS.get("head")![0]!;
    const parts = GOLDEN_RECORDS.get("part")!.filter(({ error }) => error === undefined);
    const read = parts.map((part) => asRead(part.entry));
    expect(partKeys(asRead(entry))).toEqual(read.map(({ key }) => key));
    expect(partKeys(asRead(entry))[0]!.head).toBe(keyHash(entry.key));
    expect(joinRecord(asRead(entry), read)?.content).toEqual(joined);
  });
});
