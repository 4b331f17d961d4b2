import { isDeepStrictEqual } from "node:util";
import type { EntryInput } from "@membus/agent-client";
import { canonicalJson, keyHash, LIMITS, type MemoryEntry, MemoryError, parseOption } from "@membus/protocol";
import { type RecordKey, readRecord, recordEntry, type Trust } from "@membus/protocol/records";
import { SourcesSchema, TrustOptionSchema } from "../option-schemas.js";
import { newestSources, repeatedSources } from "../sources.js";
import { combineEvidence, evidenceLines, higherTrust } from "./evidence.js";
import type { ResolvedGraphOptions } from "./graph-options.js";

/** The three parts of a triple, which are also its key. */
export type TripleKey = RecordKey<"triple">;

/** A statement of the graph. */
export interface Triple extends TripleKey {
  /** Passages that state it, oldest first. */
  readonly evidence: readonly string[];
  /** Highest trust of its sources. */
  readonly trust: Trust;
  /** Key hashes of the entries that it is derived from, newest 64. Absent if none are known. */
  readonly sources?: readonly string[] | undefined;
}

export interface TripleInput extends TripleKey {
  /** Passages that state it, 1..2000 characters each. */
  readonly evidence?: string | readonly string[] | undefined;
  /** Trust of the statement: "agent" unless given. */
  readonly trust?: Trust | undefined;
  /**
   * Key hashes of the entries that it is derived from, such as messages (`messageSources`), 1..64. A forget
   * of these with `cascade` deletes the triple too, unless it was stated before from another source or
   * without one. A host without support for sources rejects them.
   */
  readonly sources?: readonly string[] | undefined;
}

/** A triple as stored, with its hash and revision. */
export interface StoredTriple extends Triple {
  readonly hash: string;
  readonly revision: number;
}

/** Predicate for the type of a node. */
export const TYPE_PREDICATE = "entity_type";
/** Predicate for an observation about a node. The object is a text. */
export const OBSERVATION_PREDICATE = "observation";

/** Predicates with texts as objects, not nodes. Paths do not follow them. */
export const RESERVED_PREDICATES: readonly string[] = [TYPE_PREDICATE, OBSERVATION_PREDICATE];

type Naming = Pick<ResolvedGraphOptions, "nodeCase">;

/** Returns composed Unicode (NFC), trimmed, with one space for each run of whitespace. */
export function normaliseText(text: unknown, name: string): string {
  const normal = typeof text === "string" ? text.normalize("NFC").trim().replace(/\s+/g, " ") : "";
  if (normal === "") throw new TypeError(`${name} must be a non-empty text`);
  return normal;
}

export function normaliseNode(node: unknown, { nodeCase }: Naming, name = "node"): string {
  const normal = normaliseText(node, name);
  return nodeCase === "lower" ? normal.toLowerCase() : normal;
}

/** Returns the predicate in lower case, with `_` for spaces: "Works at" is `works_at`. */
export function normalisePredicate(predicate: unknown): string {
  return normaliseText(predicate, "predicate").toLowerCase().replaceAll(" ", "_");
}

/** Normalises the parts of a triple. The object of a reserved predicate is a text that keeps its case. */
export function normaliseKey({ subject, predicate, object }: TripleKey, naming: Naming): TripleKey {
  const normal = normalisePredicate(predicate);
  const isText = RESERVED_PREDICATES.includes(normal);
  return {
    subject: normaliseNode(subject, naming, "subject"),
    predicate: normal,
    object: isText ? normaliseText(object, "object") : normaliseNode(object, naming, "object"),
  };
}

/**
 * Returns the normalised triple of an input.
 * @throws {TypeError} for an empty part. @throws {MemoryError} `too_large` if the parts are too long for a
 * key.
 */
export function normaliseTriple(input: TripleInput, naming: Naming): Triple {
  const key = normaliseKey(input, naming);
  checkKeySize(key);
  const trust = input.trust ?? "agent";
  parseOption(TrustOptionSchema, trust, "trust");
  const { sources } = input;
  if (sources !== undefined) parseOption(SourcesSchema, sources, "sources");
  return { ...key, evidence: evidenceLines(input.evidence), trust, ...sourcesField(sources) };
}

function checkKeySize(key: TripleKey): void {
  const got = Buffer.byteLength(canonicalJson(key));
  if (got <= LIMITS.keyBytes) return;
  const shortened = `${key.subject.slice(0, 40)}, ${key.predicate.slice(0, 40)}, ${key.object.slice(0, 40)}`;
  const message = `a triple must have at most ${LIMITS.keyBytes} bytes, got ${got}: ${shortened}`;
  throw new MemoryError("too_large", message, { limit: "keyBytes", max: LIMITS.keyBytes, got });
}

/** Combines two triples with the same key. undefined if `more` has nothing new. */
export function combineTriples<T extends Triple>(known: T, more: Triple): T | undefined {
  const evidence = combineEvidence(known.evidence, more.evidence);
  const trust = higherTrust(known.trust, more.trust);
  const sources = repeatedSources(known.sources, more.sources);
  const isSourced = !isDeepStrictEqual(sources, known.sources ?? []);
  const isNews = evidence.length > known.evidence.length || trust !== known.trust || isSourced;
  return isNews ? { ...known, evidence, trust, ...sourcesField(sources) } : undefined;
}

function sourcesField(sources: readonly string[] = []): { sources?: string[] } {
  return sources.length === 0 ? {} : { sources: newestSources(sources) };
}

function keyOf({ subject, predicate, object }: TripleKey): TripleKey {
  return { subject, predicate, object };
}

export function tripleHash(triple: TripleKey): string {
  return keyHash(keyOf(triple));
}

/**
 * Returns the entry of a triple. Its `text` is the triple as a sentence with its evidence, for text search.
 */
export function tripleEntry(triple: Triple, { tier }: Pick<ResolvedGraphOptions, "tier">): EntryInput {
  const key = keyOf(triple);
  const { evidence, trust, sources } = triple;
  const sentence = `${key.subject} ${key.predicate.replaceAll("_", " ")} ${key.object}`;
  const content = evidence.length === 0 ? {} : { evidence: evidence.join("\n") };
  return {
    ...recordEntry({ kind: "triple", key, content, metadata: { ...key, trust } }),
    ...sourcesField(sources),
    tier,
    group: key.subject,
    text: [sentence, ...evidence].join("\n"),
  };
}

/** Returns undefined for an entry that is no valid triple record (chapter 7). */
export function readTriple(entry: MemoryEntry): StoredTriple | undefined {
  const record = readRecord(entry, "triple");
  if (record === undefined) return undefined;
  return {
    ...keyOf(record.key),
    evidence: record.content.evidence?.split("\n") ?? [],
    trust: record.metadata.trust,
    ...sourcesField(entry.sources),
    hash: entry.key_hash,
    revision: entry.revision,
  };
}

/** Returns the triple without its hash and revision. */
export function plainTriple({ subject, predicate, object, evidence, trust, sources }: Triple): Triple {
  return { subject, predicate, object, evidence, trust, ...sourcesField(sources) };
}

/** Returns the parts of a triple that are nodes. */
export function nodesOf({ subject, predicate, object }: TripleKey): string[] {
  return RESERVED_PREDICATES.includes(predicate) ? [subject] : [subject, object];
}
