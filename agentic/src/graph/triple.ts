import { isDeepStrictEqual } from "node:util";
import type { EntryInput } from "@membus/agent-client";
import {
  canonicalJson,
  choiceOption,
  keyHash,
  LIMITS,
  type MemoryEntry,
  MemoryError,
  type RecordKey,
  readRecord,
  recordEntry,
  type Trust,
  TrustSchema,
} from "@membus/protocol";
import { newestSources, repeatedSources, sourcesOption } from "../sources.js";
import { combineEvidence, evidenceLines, higherTrust } from "./evidence.js";
import type { ResolvedGraphOptions } from "./graph-options.js";

/** What a triple says, and what it is found by. */
export type TripleKey = RecordKey<"triple">;

/** A statement of the graph. */
export interface Triple extends TripleKey {
  /** Where it is known from, the first heard first; none where nobody has said. */
  readonly evidence: readonly string[];
  /** The best word that there is for it. */
  readonly trust: Trust;
  /** Key hashes of what it is derived from, the newest 64; absent where none is known. */
  readonly sources?: readonly string[] | undefined;
}

export interface TripleInput extends TripleKey {
  /** Passages that say so, 1..2000 characters each. */
  readonly evidence?: string | readonly string[] | undefined;
  /** Whose word it is: "agent" unless given. */
  readonly trust?: Trust | undefined;
  /**
   * Key hashes of what it is derived from, such as messages (`messageSources`), 1..64: a forget of those with `cascade`
   * takes it, too, unless it was said from another source, or without one, before. A host that knows no sources refuses it.
   */
  readonly sources?: readonly string[] | undefined;
}

/** A triple as the host has it: with what a change of it has to name. */
export interface StoredTriple extends Triple {
  readonly hash: string;
  readonly revision: number;
}

/** What an entity is, as a triple of its node. */
export const TYPE_PREDICATE = "entity_type";
/** What is known of an entity in words, as a triple of its node: the object is the text. */
export const OBSERVATION_PREDICATE = "observation";

/** Predicates whose objects are words about a node and no nodes: nothing is walked along them. */
export const RESERVED_PREDICATES: readonly string[] = [TYPE_PREDICATE, OBSERVATION_PREDICATE];

export const checkTrust = choiceOption(...TrustSchema.options);

type Naming = Pick<ResolvedGraphOptions, "nodeCase">;

/** Composed Unicode (NFC), without spaces around it, and with one space for each run of spaces and line breaks. */
export function normaliseText(text: unknown, name: string): string {
  const normal = typeof text === "string" ? text.normalize("NFC").trim().replace(/\s+/g, " ") : "";
  if (normal === "") throw new TypeError(`${name} must be a text that is not empty`);
  return normal;
}

export function normaliseNode(node: unknown, { nodeCase }: Naming, name = "node"): string {
  const normal = normaliseText(node, name);
  return nodeCase === "lower" ? normal.toLowerCase() : normal;
}

/** In lower case, with `_` for spaces: "Works at" is `works_at`. */
export function normalisePredicate(predicate: unknown): string {
  return normaliseText(predicate, "predicate").toLowerCase().replaceAll(" ", "_");
}

/** An object is a node, or, of a reserved predicate, a text that keeps its case. */
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
 * The triple that an input stands for.
 * @throws {TypeError} for an empty part. @throws {MemoryError} `too_large` for parts that make no key together.
 */
export function normaliseTriple(input: TripleInput, naming: Naming): Triple {
  const key = normaliseKey(input, naming);
  checkKeySize(key);
  const trust = input.trust ?? "agent";
  checkTrust(trust, "trust");
  const { sources } = input;
  if (sources !== undefined) sourcesOption(sources, "sources");
  return { ...key, evidence: evidenceLines(input.evidence), trust, ...sourcesField(sources) };
}

function checkKeySize(key: TripleKey): void {
  const got = Buffer.byteLength(canonicalJson(key));
  if (got <= LIMITS.keyBytes) return;
  const begun = `${key.subject.slice(0, 40)}, ${key.predicate.slice(0, 40)}, ${key.object.slice(0, 40)}`;
  const message = `a triple has at most ${LIMITS.keyBytes} bytes, this has ${got}: ${begun}`;
  throw new MemoryError("too_large", message, { limit: "keyBytes", max: LIMITS.keyBytes, got });
}

/** The two as one; undefined where `more` says nothing that `known` does not. */
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

/** As it is stored: `text` is the sentence that it makes and what it is known from, for a search in words. */
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

/** An entry as a triple; undefined for one that is none, or not as chapter 7 has it. */
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

/** Without what only the graph itself needs. */
export function plainTriple({ subject, predicate, object, evidence, trust, sources }: Triple): Triple {
  return { subject, predicate, object, evidence, trust, ...sourcesField(sources) };
}

/** The ends of a triple that are nodes. */
export function nodesOf({ subject, predicate, object }: TripleKey): string[] {
  return RESERVED_PREDICATES.includes(predicate) ? [subject] : [subject, object];
}
