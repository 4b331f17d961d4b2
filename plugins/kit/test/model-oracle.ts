import {
  canonicalJson,
  deriveText,
  type Filter,
  fieldValue,
  type Json,
  keyContext,
  type MemoryEntry,
  type MetadataValue,
  matches,
  type Scope,
  type ScopeSelector,
  selectsScope,
} from "@membus/protocol";
import type { Operation, StoreItem } from "@membus/protocol/plugin";

/** An entry according to the specification. */
export interface OracleEntry {
  readonly key: Record<string, Json>;
  readonly keyHash: string;
  readonly content: Json;
  readonly tags: readonly string[];
  readonly source: string;
  readonly author: string;
  readonly metadata: Record<string, MetadataValue> | undefined;
  readonly text: string | undefined;
  readonly context: string | undefined;
  readonly group: string | undefined;
  readonly importance: number;
  readonly occurredAt: number;
  readonly created: number;
  readonly updated: number;
  accessed: number;
  readonly revision: number;
  readonly seq: number;
  readonly ttl: number | null;
  readonly expiresAt: number | null;
  readonly givenVector: Float32Array | undefined;
}

export type OracleOutcome =
  | { readonly outcome: "created" | "updated" | "unchanged"; readonly revision: number }
  | { readonly conflict: number };

interface OracleScope {
  readonly scope: Scope;
  readonly entries: Map<string, OracleEntry>;
  lastRevision: number;
}

/** A reference implementation: a Map per partition with the rules of the specification (UPD, ENTRY). */
export class Oracle {
  readonly #scopes = new Map<string, OracleScope>();

  entriesOf(scope: Scope, now: number): OracleEntry[] {
    const entries = this.#at(scope).entries;
    for (const [hash, { expiresAt }] of entries) {
      if (expiresAt !== null && expiresAt <= now) entries.delete(hash);
    }
    return [...entries.values()];
  }

  /** Returns every partition with entries. */
  scopes(selector: ScopeSelector, now: number): Scope[] {
    const all = [...this.#scopes.values()].map(({ scope }) => scope);
    return all.filter((scope) => selectsScope(selector, scope) && this.entriesOf(scope, now).length > 0);
  }

  store(scope: Scope, item: StoreItem, op: Operation): OracleOutcome {
    this.entriesOf(scope, op.accepted_at);
    const partition = this.#at(scope);
    const former = partition.entries.get(item.key_hash);
    if (item.if_revision != null && item.if_revision !== (former?.revision ?? 0)) {
      return { conflict: former?.revision ?? 0 };
    }
    const next = merged(item, former, op);
    if (former !== undefined && isUnchanged(former, next))
      return { outcome: "unchanged", revision: former.revision };
    const revision = Math.max(partition.lastRevision + 1, Math.floor(op.accepted_at * 1e6));
    partition.lastRevision = revision;
    partition.entries.set(item.key_hash, { ...next, revision, seq: former?.seq ?? revision });
    return { outcome: former === undefined ? "created" : "updated", revision };
  }

  /** Returns the key hashes of the forgotten entries by scope. */
  forget(selector: ScopeSelector, filter: Filter, now: number, dryRun: boolean): string[] {
    const deleted: string[] = [];
    for (const scope of this.scopes(selector, now)) {
      for (const entry of this.entriesOf(scope, now)) {
        if (!matches(asEntry(entry, scope), filter)) continue;
        deleted.push(entry.keyHash);
        if (!dryRun) this.#at(scope).entries.delete(entry.keyHash);
      }
    }
    return deleted;
  }

  /** Returns each value of a field, or each namespace, with its entries. */
  list(selector: ScopeSelector, filter: Filter, field: string | undefined, now: number) {
    const listed = new Map<Json, OracleEntry[]>();
    for (const scope of this.scopes(selector, now)) {
      for (const held of this.entriesOf(scope, now)) {
        const entry = asEntry(held, scope);
        if (!matches(entry, filter)) continue;
        for (const value of field === undefined
          ? [scope.namespace]
          : listedValues(fieldValue(entry, field))) {
          listed.set(value, [...(listed.get(value) ?? []), held]);
        }
      }
    }
    return listed;
  }

  #at(scope: Scope): OracleScope {
    const id = JSON.stringify(scope);
    let found = this.#scopes.get(id);
    if (found === undefined) {
      found = { scope, entries: new Map(), lastRevision: 0 };
      this.#scopes.set(id, found);
    }
    return found;
  }
}

/** Returns scalars, and the distinct strings of a list. */
function listedValues(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return [...new Set(value.filter((element) => typeof element === "string"))];
  return value === undefined || typeof value === "object" ? [] : [value];
}

type Unrevised = Omit<OracleEntry, "revision" | "seq">;

function merged(item: StoreItem, former: OracleEntry | undefined, op: Operation): Unrevised {
  const sameContent = former !== undefined && canonicalJson(former.content) === canonicalJson(item.content);
  const text = keep(item.text, sameContent ? former.text : undefined);
  const sameText = sameContent && text === former.text;
  const created = former?.created ?? op.accepted_at;
  return {
    key: former?.key ?? item.key,
    keyHash: item.key_hash,
    content: item.content,
    tags: item.tags ?? [],
    source: item.source ?? op.agent,
    author: op.agent,
    metadata: keep(item.metadata, former?.metadata),
    text,
    context: keep(item.context, former?.context),
    group: keep(item.group, former?.group),
    importance: importance(item, former),
    occurredAt: keep(item.occurred_at, former?.occurredAt) ?? created,
    created,
    updated: op.accepted_at,
    accessed: former?.accessed ?? op.accepted_at,
    ttl: item.ttl,
    expiresAt: item.expires_at,
    givenVector: keep(item.embedding, sameText ? former.givenVector : undefined),
  };
}

function importance(item: StoreItem, former: OracleEntry | undefined): number {
  if (former === undefined) return item.importance ?? item.score ?? 1;
  return keep(item.importance, former.importance) ?? 1;
}

function keep<T>(given: T | null | undefined, former: T | undefined): T | undefined {
  return given === undefined ? former : (given ?? undefined);
}

function isUnchanged(former: OracleEntry, next: Unrevised): boolean {
  return former.expiresAt === null && next.expiresAt === null && chosen(former) === chosen(next);
}

/** Returns the fields that the caller of a store chose. */
function chosen(entry: Unrevised): string {
  const { content, tags, source, metadata, text, context, group, importance, occurredAt, givenVector } =
    entry;
  const optional = { metadata, text, context, group, vector: givenVector && [...givenVector] };
  const given = JSON.parse(JSON.stringify(optional)) as Json;
  return canonicalJson([content, [...tags], source, importance, occurredAt, given]);
}

/** Returns the embedded text of an entry, and its additional words. */
export function indexedTexts({ text, content, context, key }: OracleEntry): {
  text: string;
  context: string;
} {
  return { text: text ?? deriveText(content), context: [context ?? "", keyContext(key)].join("\n") };
}

/** Returns the entry as a retrieve without `include` does. `score` is its importance. */
export function asEntry(entry: OracleEntry, { tier, namespace }: Scope): MemoryEntry {
  const { created, updated, accessed, occurredAt, expiresAt, metadata, text, group, key } = entry;
  return {
    key,
    key_hash: entry.keyHash,
    content: entry.content,
    tier,
    namespace,
    tags: [...entry.tags],
    source: entry.source,
    author: entry.author,
    score: entry.importance,
    importance: entry.importance,
    ttl: entry.ttl,
    timestamps: { created, updated, accessed },
    revision: entry.revision,
    seq: entry.seq,
    occurred_at: occurredAt,
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(text === undefined ? {} : { text }),
    ...(group === undefined ? {} : { group }),
  };
}
