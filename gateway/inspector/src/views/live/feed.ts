import type { RecentChange, Tier } from "@membus/gateway/inspector-api";
import type { LiveEvent } from "../../api.js";
import type { Key } from "../../entry-text.js";

/** A change of an entry, from an event or a listing. */
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
  /** Undefined until it is read, because events do not contain it. */
  readonly text?: string | undefined;
}

/** Number of changes that are kept. */
export const CHANGES_MAX = 200;

/**
 * Merges changes from events and listings, newest first. Each revision of an entry appears once. Changes of
 * forgotten entries are removed.
 */
export function merge(known: readonly Change[], news: readonly Change[]): readonly Change[] {
  const byId = new Map(known.map((change) => [idOf(change), change]));
  for (const change of news) {
    const before = byId.get(idOf(change));
    byId.set(idOf(change), { ...change, text: change.text ?? before?.text });
  }
  const latestFirst = [...byId.values()].sort((a, b) => b.at - a.at || b.revision - a.revision);
  return withoutDeleted(latestFirst.slice(0, CHANGES_MAX));
}

function withoutDeleted(latestFirst: readonly Change[]): readonly Change[] {
  const deleted = new Set<string>();
  return latestFirst.map((change) => {
    if (change.action !== "stored") deleted.add(entryOf(change));
    return deleted.has(entryOf(change)) ? { ...change, text: undefined } : change;
  });
}

/** Adds texts to changes with a revision that is still current. */
export function withTexts(
  known: readonly Change[],
  texts: readonly (Pick<Change, "tier" | "namespace" | "key_hash" | "revision"> & {
    readonly text: string;
  })[],
): readonly Change[] {
  const stored = texts.map((text) => [idOf({ ...text, action: "stored" }), text.text] as const);
  const byId = new Map(stored);
  return withoutDeleted(known.map((change) => ({ ...change, text: change.text ?? byId.get(idOf(change)) })));
}

export function listed(recent: RecentChange): Change {
  return { ...toChange({ ...recent, action: "stored" }), text: recent.text };
}

export function toChange({
  action,
  key,
  key_hash,
  tier,
  namespace,
  tags,
  revision,
  author,
  at,
}: Omit<Change, "text">): Change {
  return { action, key, key_hash, tier, namespace, tags, revision, author, at };
}

/** Returns a unique id of a change. */
export function idOf(
  change: Pick<Change, "action" | "tier" | "namespace" | "key_hash" | "revision">,
): string {
  return `${change.action} ${change.revision} ${entryOf(change)}`;
}

function entryOf({ tier, namespace, key_hash }: Pick<Change, "tier" | "namespace" | "key_hash">): string {
  return `${tier} ${namespace} ${key_hash}`;
}
