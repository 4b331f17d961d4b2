import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { isPositioned } from "@membus/agentic/positioned-record";
import { type JsonObject, TIERS } from "@membus/protocol";
import {
  type ExportManifest,
  isTrailer,
  readManifest,
  readTrailer,
  type TierCounts,
} from "../export/export-format.js";
import { type ExportedEntry, entriesBySeq, entryOf, jsonOf, UnorderedScopes } from "./exported-lines.js";
import type { ImportItem } from "./import-item.js";
import { type FileLine, linesOf } from "./lines-of.js";
import { PositionsInExport } from "./positions-in-export.js";

/** A trailer is shorter. */
const TRAILER_BYTES_MAX = 4_096;

/**
 * Returns the manifest of an export, or undefined for a file of another format. Reads the first line only.
 * @throws {TypeError} for an export of another version.
 */
export async function manifestOf(path: string): Promise<ExportManifest | undefined> {
  for await (const { bytes } of linesOf(path)) {
    try {
      return readManifest(JSON.parse(bytes.toString()));
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw new TypeError(`${path}, ${(error as Error).message}`);
    }
  }
  return undefined;
}

/** Returns whether a file ends with the trailer of an export. Its first line may be missing or damaged. */
export async function endsAsExport(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, TRAILER_BYTES_MAX);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return isTrailer(JSON.parse(buffer.toString().trimEnd().split("\n").at(-1)!));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  } finally {
    await file.close();
  }
}

/** Facts about an export that its import needs. */
export interface VerifiedExport {
  readonly positions: PositionsInExport;
  readonly unordered: UnorderedScopes;
}

/**
 * Reads a whole export and compares its lines with its trailer.
 * @throws {TypeError} with the line, for a file that was cut or changed.
 */
export async function verifyExport(path: string): Promise<VerifiedExport> {
  try {
    return await verifyLines(path);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TypeError(`${path}, ${error.message}. Nothing is stored`, { cause: error });
  }
}

async function verifyLines(path: string): Promise<VerifiedExport> {
  const positions = new PositionsInExport();
  const unordered = new UnorderedScopes();
  const sum = createHash("sha256");
  const counts: TierCounts = {};
  let trailer: { readonly value: JsonObject; readonly line: number } | undefined;
  let last = 0;
  for await (const each of linesOf(path)) {
    last = each.line;
    if (trailer !== undefined) throw new TypeError(`line ${last}: follows the end of the export`);
    const value = jsonOf(each);
    if (isTrailer(value)) {
      trailer = { value, line: last };
      continue;
    }
    sum.update(each.bytes);
    if (last === 1) continue;
    const entry = entryOf(value, last);
    counts[entry.tier] = (counts[entry.tier] ?? 0) + 1;
    positions.addRecord(entry);
    unordered.add(entry);
  }
  if (trailer === undefined) {
    throw new TypeError(`line ${last}: the end of the export is missing, the file was cut`);
  }
  checkTrailer(trailer, counts, sum.digest("hex"));
  return { positions, unordered };
}

function checkTrailer(
  { value, line }: { readonly value: JsonObject; readonly line: number },
  counts: TierCounts,
  sha256: string,
): void {
  const trailer = readTrailer(value);
  if (trailer === undefined) throw new TypeError(`line ${line}: the last line of the export is invalid`);
  for (const tier of TIERS) {
    const [found, expected] = [counts[tier] ?? 0, trailer.entries[tier] ?? 0];
    if (found === expected) continue;
    throw new TypeError(`line ${line}: the export has ${expected} ${tier} entries, the file has ${found}`);
  }
  if (trailer.sha256 !== sha256) {
    throw new TypeError(
      `line ${line}: the checksum differs, so one of the lines 1 to ${line - 1} was changed`,
    );
  }
}

/** Absent extension fields. A store keeps the value of an absent field, so an exact copy clears it. */
export const CLEARED = { metadata: null, text: null, context: null, group: null, sources: null };

/**
 * Yields the entries of a verified export, each with its namespace. Records that name messages by position
 * come last, with these messages.
 */
export async function* readExport(
  path: string,
  { positions, unordered }: VerifiedExport,
): AsyncGenerator<ImportItem> {
  for await (const { entry, line } of entriesBySeq(path, unordered)) {
    positions.addMessage(entry);
    if (!isPositioned(entry)) yield itemOf(entry, line);
  }
  if (!positions.hasRecords) return;
  for await (const { entry, line } of entriesBySeq(path, unordered)) {
    if (isPositioned(entry)) yield { ...itemOf(entry, line), messages: positions.messagesOf(entry) };
  }
}

function itemOf(exported: ExportedEntry, { line, bytes }: FileLine): ImportItem {
  // The host computes `ttl` from the end, and `score` is the importance.
  const { namespace, ttl: _ttl, score: _score, ...entry } = exported;
  const author = entry.tier === "semantic" && typeof entry.author === "string" && { author: entry.author };
  const item = { line, bytes: bytes.length, namespace, isExact: true, ...author };
  return { ...item, entry: { ...CLEARED, ...entry } };
}
