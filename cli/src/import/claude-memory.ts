import { z } from "zod";
import { type Row, textIn } from "./foreign-values.js";
import { type ImportItem, problemOf, rejected } from "./import-item.js";

const MemorySchema = z.looseObject({
  account_uuid: z.string().nullish(),
  conversations_memory: z.string().nullish(),
  /** Texts by the id of their project. */
  project_memories: z.record(z.string(), z.string()).nullish(),
});

/** Returns whether a row of a Claude data export has memories instead of a conversation. */
export function isClaudeMemory(value: unknown): boolean {
  const fields = (value ?? {}) as object;
  return Object.hasOwn(fields, "conversations_memory") || Object.hasOwn(fields, "project_memories");
}

/** Yields the memory of all conversations and the memory of each project, one text each. */
export function* readClaudeMemory({ line, bytes, value }: Row, modified: number): Generator<ImportItem> {
  const { data, error } = MemorySchema.safeParse(value);
  if (data === undefined) {
    yield rejected(line, bytes, problemOf(error, "memory"));
    return;
  }
  const account = textIn(data.account_uuid) ?? "account";
  const texts: [project: string | undefined, text: string | null | undefined][] = [
    [undefined, data.conversations_memory],
    ...Object.entries(data.project_memories ?? {}),
  ];
  for (const [project, written] of texts) {
    const text = textIn(written);
    if (text === undefined) continue;
    const key = { claude_memory: account, ...(project !== undefined && { project }) };
    const metadata = { source: "claude", ...(project !== undefined && { project }) };
    const entry = { key, content: { text }, metadata, group: "claude:memory", occurred_at: modified };
    yield { line, bytes: Buffer.byteLength(text), entry };
  }
}
