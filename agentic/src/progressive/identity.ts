import { keyHash, type RecordContent, type RecordMetadata, readRecord, recordEntry } from "@membus/protocol";
import type { Draft } from "./draft.js";
import { IDENTITY_LABEL, IDENTITY_TARGET } from "./memory-record.js";

/** Characters of an identity that is made here. */
const IDENTITY_LIMIT = 20_000;

const KEY = Object.freeze({ block: IDENTITY_LABEL });
const MEMORY_ID = keyHash({ ...KEY });

interface Identity {
  /** The block as it is stored, with what others have put into it. */
  readonly content: RecordContent<"block">;
  readonly metadata: RecordMetadata<"block">;
  readonly revision: number;
}

const NO_IDENTITY: Identity = Object.freeze({
  content: { value: "", description: "Who the agent is", limit: IDENTITY_LIMIT, read_only: false },
  metadata: { label: IDENTITY_LABEL },
  revision: 0,
});

/** Who the agent is; "" where nobody has said yet. */
export async function readIdentity(draft: Draft): Promise<string> {
  const { value } = (await identityOf(draft)).content;
  return typeof value === "string" ? value : JSON.stringify(value);
}

async function identityOf(draft: Draft): Promise<Identity> {
  const entry = (await draft.read(draft.space.blocks, [MEMORY_ID])).get(MEMORY_ID);
  const record = entry && readRecord(entry as Parameters<typeof readRecord>[0], "block");
  if (entry === undefined || record === undefined) return NO_IDENTITY;
  return { content: record.content, metadata: record.metadata, revision: entry.revision };
}

/**
 * Stages another identity, over the one that is there.
 * @returns its memory id, or why it cannot be.
 */
export async function writeIdentity(
  draft: Draft,
  value: string,
): Promise<{ readonly memoryId: string } | { readonly problem: string }> {
  const { content, metadata, revision } = await identityOf(draft);
  const { limit, read_only: readOnly } = content;
  if (readOnly) return { problem: "the identity is read-only" };
  if (value.length > limit) {
    return { problem: `the identity has at most ${limit} characters, this has ${value.length}` };
  }
  const block = { kind: "block", key: { ...KEY }, content: { ...content, value }, metadata } as const;
  const entry = { ...recordEntry(block), group: "blocks" };
  const subject = { memoryType: "identity", memoryTarget: IDENTITY_TARGET, text: value } as const;
  return { memoryId: draft.write(draft.space.blocks, { entry, revision }, subject) };
}
