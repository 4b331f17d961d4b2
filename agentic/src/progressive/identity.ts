import { keyHash, readRecord, recordEntry } from "@membus/protocol";
import type { Draft } from "./draft.js";
import { IDENTITY_LABEL, IDENTITY_TARGET } from "./memory-record.js";

/** Characters of an identity that is made here. */
const IDENTITY_LIMIT = 20_000;

const KEY = Object.freeze({ block: IDENTITY_LABEL });
const MEMORY_ID = keyHash({ ...KEY });

interface Identity {
  readonly value: string;
  readonly description: string;
  readonly limit: number;
  readonly readOnly: boolean;
  readonly revision: number;
}

const NO_IDENTITY: Identity = Object.freeze({
  value: "",
  description: "Who the agent is",
  limit: IDENTITY_LIMIT,
  readOnly: false,
  revision: 0,
});

/** Who the agent is; "" where nobody has said yet. */
export async function readIdentity(draft: Draft): Promise<string> {
  return (await identityOf(draft)).value;
}

async function identityOf(draft: Draft): Promise<Identity> {
  const entry = (await draft.read(draft.space.blocks, [MEMORY_ID])).get(MEMORY_ID);
  const record = entry && readRecord(entry as Parameters<typeof readRecord>[0], "block");
  if (entry === undefined || record === undefined) return NO_IDENTITY;
  const { value, description, limit, read_only: readOnly } = record.content;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { value: text, description, limit, readOnly, revision: entry.revision };
}

/**
 * Stages another identity, over the one that is there.
 * @returns its memory id, or why it cannot be.
 */
export async function writeIdentity(
  draft: Draft,
  value: string,
): Promise<{ readonly memoryId: string } | { readonly problem: string }> {
  const { description, limit, readOnly, revision } = await identityOf(draft);
  if (readOnly) return { problem: "the identity is read-only" };
  if (value.length > limit) {
    return { problem: `the identity has at most ${limit} characters, this has ${value.length}` };
  }
  const content = { value, description, limit, read_only: false };
  const metadata = { label: IDENTITY_LABEL };
  const record = recordEntry({ kind: "block", key: { ...KEY }, content, metadata });
  const entry = { ...record, group: "blocks" };
  const subject = { memoryType: "identity", memoryTarget: IDENTITY_TARGET, text: value } as const;
  return { memoryId: draft.write(draft.space.blocks, { entry, revision }, subject) };
}
