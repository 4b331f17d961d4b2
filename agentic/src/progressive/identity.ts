import { keyHash } from "@membus/protocol";
import { type RecordContent, type RecordMetadata, readRecord, recordEntry } from "@membus/protocol/records";
import type { Draft } from "./draft.js";
import { IDENTITY_LABEL, IDENTITY_TARGET } from "./memory-record.js";

/** Default limit of the identity in characters. */
const IDENTITY_LIMIT = 20_000;

const KEY = Object.freeze({ block: IDENTITY_LABEL });
const MEMORY_ID = keyHash({ ...KEY });

interface Identity {
  /** The stored block, including fields of other programs. */
  readonly content: RecordContent<"block">;
  readonly metadata: RecordMetadata<"block">;
  readonly revision: number;
}

const NO_IDENTITY: Identity = Object.freeze({
  content: { value: "", description: "Who the agent is", limit: IDENTITY_LIMIT, read_only: false },
  metadata: { label: IDENTITY_LABEL },
  revision: 0,
});

/** Returns the identity of the agent, or "" if it is not set. */
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
 * Stages a new identity over the current one.
 * @returns its memory id, or the problem.
 */
export async function writeIdentity(
  draft: Draft,
  value: string,
): Promise<{ readonly memoryId: string } | { readonly problem: string }> {
  const { content, metadata, revision } = await identityOf(draft);
  const { limit, read_only: readOnly } = content;
  if (readOnly) return { problem: "the identity is read-only" };
  if (value.length > limit) {
    return { problem: `the identity has ${value.length} characters, limit ${limit}` };
  }
  const block = { kind: "block", key: { ...KEY }, content: { ...content, value }, metadata } as const;
  const entry = recordEntry(block);
  const details = { memoryType: "identity", memoryTarget: IDENTITY_TARGET, text: value } as const;
  return { memoryId: draft.write(draft.space.blocks, { entry, revision }, details) };
}
