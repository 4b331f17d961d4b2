import type { EntryInput } from "@membus/agent-client";
import type { Json, MemoryTier } from "@membus/protocol";
import type { z } from "zod";

/** One row of a source: an entry, or the reason why it is rejected. */
export interface ImportItem {
  /** Line of the file, or number of the row in a JSON list. Starts at 1. */
  readonly line: number;
  /** Name of the file, if the source is a folder. */
  readonly file?: string;
  readonly bytes: number;
  readonly entry?: Readonly<Record<string, Json>> | EntryInput;
  /** Namespace of the entry. Absent: the namespace of the client. */
  readonly namespace?: string;
  /** Agent to store the entry as. Absent: the agent of the client. */
  readonly author?: string;
  /** Whether the entry is a copy of one in membus. It is stored as it is, and never split. */
  readonly isExact?: boolean;
  /** Messages of the conversation that the entry names by position. It is stored with their positions on the host. */
  readonly messages?: NamedMessages;
  readonly problem?: string;
  /** Code of the problem. Absent: "parse_error". */
  readonly code?: "parse_error" | "schema_violation" | "too_large";
}

/** All messages of a conversation. */
export interface NamedMessages {
  readonly tier: MemoryTier;
  readonly namespace: string;
  /** Key hashes by position on another host. Records of one conversation have the same object. */
  readonly hashes: ReadonlyMap<number, string>;
}

/** Facts about the file that a reader may need. */
export interface ReadContext {
  /** Name of the file, with the name of its folder. */
  readonly name: string;
  /** Unix seconds of the last change of the file. */
  readonly modified: number;
  /** User of memories without one. Absent: they are rejected. */
  readonly user?: string | undefined;
}

const BATCH_ITEMS = 100;

/** Yields the items in batches of 100. Items that name messages are in later batches than these. */
export async function* batchesOf(items: AsyncIterable<ImportItem>): AsyncGenerator<ImportItem[]> {
  let batch: ImportItem[] = [];
  for await (const item of items) {
    const isSameKind = (batch.at(-1)?.messages === undefined) === (item.messages === undefined);
    if (batch.length === BATCH_ITEMS || (batch.length > 0 && !isSameKind)) {
      yield batch;
      batch = [];
    }
    batch.push(item);
  }
  if (batch.length > 0) yield batch;
}

/** Returns the item of a row that is not imported. */
export function rejected(line: number, bytes: number, problem: string): ImportItem {
  return { line, bytes, problem, code: "schema_violation" };
}

/** Returns the first problem of a row with the path of its field. `row` names the row itself. */
export function problemOf({ issues }: z.ZodError, row: string): string {
  const [{ path, message } = { path: [], message: "is invalid" }] = issues;
  return `${path.join(".") || row}: ${message}`;
}
