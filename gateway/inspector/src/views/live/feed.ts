import type { RecentChange, Tier } from "@membus/gateway/inspector-api";
import type { LiveEvent } from "../../api.js";
import type { Key } from "../../entry-text.js";

/** A change of an entry, as it was heard of or listed. */
export interface Change {
  readonly action: LiveEvent["action"];
  readonly tier: Tier;
  readonly namespace: string;
  readonly key: Key;
  readonly key_hash: string;
  readonly tags: readonly string[];
  readonly revision: number;
  readonly author: string;
  /** Unix seconds. */
  readonly at: number;
  /** Undefined while it is not known: events do not tell it. */
  readonly text?: string | undefined;
}

/** How many changes are kept. */
export const CHANGES_MAX = 200;

/**
 * The changes that are shown, the latest first. What is heard and what is listed may be the same: of each revision of an entry
 * there is one. What is forgotten is not told any more.
 */
export function merge(known: readonly Change[], news: readonly Change[]): readonly Change[] {
  const byId = new Map(known.map((change) => [idOf(change), change]));
  for (const change of news) {
    const before = byId.get(idOf(change));
    byId.set(idOf(change), { ...change, text: change.text ?? before?.text });
  }
  const latestFirst = [...byId.values()].sort((a, b) => b.at - a.at || b.revision - a.revision);
  return withoutGone(latestFirst.slice(0, CHANGES_MAX));
}

function withoutGone(latestFirst: readonly Change[]): readonly Change[] {
  const gone = new Set<string>();
  return latestFirst.map((change) => {
    if (change.action !== "stored") gone.add(entryOf(change));
    return gone.has(entryOf(change)) ? { ...change, text: undefined } : change;
  });
}

/** With the texts of the entries that are still at the revision of a change. */
export function withTexts(
  known: readonly Change[],
  texts: readonly (Pick<Change, "tier" | "namespace" | "key_hash" | "revision"> & {
    readonly text: string;
  })[],
): readonly Change[] {
  const stored = texts.map((text) => [idOf({ ...text, action: "stored" }), text.text] as const);
  const byId = new Map(stored);
  return withoutGone(known.map((change) => ({ ...change, text: change.text ?? byId.get(idOf(change)) })));
}

export function listed({
  text,
  key,
  key_hash,
  tier,
  namespace,
  tags,
  revision,
  author,
  at,
}: RecentChange): Change {
  return { action: "stored", key, key_hash, tier, namespace, tags, revision, author, at, text };
}

export function heard({
  action,
  key,
  key_hash,
  tier,
  namespace,
  tags,
  revision,
  author,
  at,
}: LiveEvent): Change {
  return { action, key, key_hash, tier, namespace, tags, revision, author, at };
}

/** What one change has and no other. */
export function idOf(
  change: Pick<Change, "action" | "tier" | "namespace" | "key_hash" | "revision">,
): string {
  return `${change.action} ${change.revision} ${entryOf(change)}`;
}

function entryOf({ tier, namespace, key_hash }: Pick<Change, "tier" | "namespace" | "key_hash">): string {
  return `${tier} ${namespace} ${key_hash}`;
}
