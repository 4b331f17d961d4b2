import {
  canonicalJson,
  comparePositions,
  LIMITS,
  type MemoryEntry,
  MemoryError,
  type MemoryPlugin,
  matches,
  type Operation,
  PLUGIN_CONTRACT,
  type PluginForgetRequest,
  type PluginForgetResult,
  type PluginManifest,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  type PluginServices,
  type PluginStatusResult,
  type PluginStoreRequest,
  type PluginStoreResult,
  positionOf,
  type Scope,
  type ScopeSelector,
  type StoreItem,
  type StoreReceipt,
  scopeId,
  selectsScope,
} from "membus/plugin";

const REMEMBERED_SECONDS = 600;

/**
 * A partition: its entries by key hash, and its last revision, which is kept after the entries are deleted.
 */
interface Partition {
  readonly scope: Scope;
  readonly entries: Map<string, MemoryEntry>;
  lastRevision: number;
}

interface Remembered {
  readonly digest: string;
  readonly at: number;
  readonly result: PluginStoreResult | PluginForgetResult;
}

/** An in-memory plugin. Replace the maps with your database, and declare the features it supports. */
class PluginNamePlugin implements MemoryPlugin {
  readonly #partitions = new Map<string, Partition>();
  readonly #remembered = new Map<string, Remembered>();
  #services!: PluginServices;

  /** Features that are true must work. The host rejects requests that need a feature that is false. */
  readonly manifest: PluginManifest = {
    contract: PLUGIN_CONTRACT,
    name: "plugin-name",
    version: "0.1.0",
    features: {
      similarity: false,
      full_text: false,
      ttl: true,
      durable: false,
      shared: false,
      conditional: true,
      eviction: false,
      subtree: true,
      queued: false,
      fields: false,
      recency: false,
      diversity: false,
      expand: false,
      explain: false,
      rerank: false,
      context: false,
      absolute: false,
      generations: false,
    },
  };

  async open(services: PluginServices): Promise<void> {
    this.#services = services;
  }

  async onStore(scope: Scope, { op, entries }: PluginStoreRequest): Promise<PluginStoreResult> {
    return this.#once(op, () => {
      this.#dropExpired();
      const partition = this.#partition(scope);
      const receipts: StoreReceipt[] = [];
      const errors: { index: number; error: MemoryError }[] = [];
      // A copy, because the caller may change its objects later (clause PLUG-25).
      for (const item of structuredClone(entries)) {
        const previous = partition.entries.get(item.key_hash);
        const revision = previous?.revision ?? 0;
        if (item.if_revision != null && item.if_revision !== revision) {
          const error = new MemoryError("conflict", `the entry is at revision ${revision}`, { revision });
          errors.push({ index: item.index, error });
        } else {
          receipts.push(store(partition, item, op));
        }
      }
      return { receipts, errors };
    });
  }

  async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<PluginRetrieveResult> {
    this.#dropExpired();
    this.#checkPartitionCount(selector);
    const { after, order, limit, include, min_score } = request;
    const position = (entry: MemoryEntry) => positionOf(entry, order);
    const found = this.#select(selector, request)
      .filter(({ score }) => score >= min_score)
      .sort((a, b) => comparePositions(position(a), position(b), order));
    const following = after
      ? found.filter((entry) => comparePositions(after, position(entry), order) < 0)
      : found;
    const page = following.slice(0, limit);
    for (const { timestamps } of page) timestamps.accessed = this.#services.clock.now();
    const entries = page.map(({ context, ...entry }) =>
      include.includes("context") && context !== undefined ? { ...entry, context } : entry,
    ) as MemoryEntry[];
    return {
      entries: structuredClone(entries),
      total: found.length,
      total_relation: "eq",
    };
  }

  async onForget(
    selector: ScopeSelector,
    { op, filter, dry_run }: PluginForgetRequest,
  ): Promise<PluginForgetResult> {
    const forget = (): PluginForgetResult => {
      this.#dropExpired();
      const selected = this.#select(selector, { filter });
      if (!dry_run) for (const entry of selected) this.#drop(entry, "forgotten", op.agent);
      return { deleted: selected.length, at: op.accepted_at, purge: "done" };
    };
    return dry_run ? forget() : this.#once(op, forget);
  }

  async onStatus(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginStatusResult | undefined> {
    const result = this.#remembered.get(operationKey(op))?.result;
    return result !== undefined && "receipts" in result ? { ...copied(result), done: true } : undefined;
  }

  async maintain(): Promise<void> {
    this.#dropExpired();
    const oldest = this.#services.clock.now() - REMEMBERED_SECONDS;
    for (const [key, { at }] of this.#remembered) if (at < oldest) this.#remembered.delete(key);
  }

  /** Makes retries idempotent: a repeated request returns its first result. */
  #once<Result extends PluginStoreResult | PluginForgetResult>(op: Operation, work: () => Result): Result {
    const earlier = this.#remembered.get(operationKey(op));
    if (earlier === undefined) {
      const result = work();
      this.#remembered.set(operationKey(op), { digest: op.digest, at: op.accepted_at, result });
      return copied(result);
    }
    if (earlier.digest !== op.digest) {
      throw new MemoryError("conflict", "this request id was used for another request", { id: op.id });
    }
    return copied(earlier.result as Result);
  }

  #select(selector: ScopeSelector, { filter }: Pick<PluginRetrieveRequest, "filter">): MemoryEntry[] {
    return this.#selected(selector)
      .flatMap(({ entries }) => [...entries.values()])
      .filter((entry) => matches(entry as Parameters<typeof matches>[0], filter));
  }

  #selected(selector: ScopeSelector): Partition[] {
    const partitions = [...this.#partitions.values()];
    return partitions.filter(({ scope, entries }) => entries.size > 0 && selectsScope(selector, scope));
  }

  /** Limits the partitions of a subtree read (clause NS-4). */
  #checkPartitionCount(selector: ScopeSelector): void {
    const max = LIMITS.subtreePartitions;
    const got = this.#selected(selector).length;
    if (got <= max) return;
    const detail = { limit: "subtreePartitions", max, got };
    throw new MemoryError(
      "too_large",
      `too many partitions: ${got}, limit ${max}. Read a smaller subtree`,
      detail,
    );
  }

  #partition(scope: Scope): Partition {
    const id = scopeId(scope);
    const partition = this.#partitions.get(id) ?? { scope, entries: new Map(), lastRevision: 0 };
    this.#partitions.set(id, partition);
    return partition;
  }

  #dropExpired(): void {
    const now = this.#services.clock.now();
    for (const { entries } of this.#partitions.values()) {
      for (const entry of entries.values()) {
        if (entry.expires_at !== undefined && entry.expires_at <= now)
          this.#drop(entry, "expired", entry.author);
      }
    }
  }

  #drop(entry: MemoryEntry, action: "forgotten" | "expired", agent: string): void {
    for (const { scope, entries } of this.#partitions.values()) {
      if (entries.get(entry.key_hash) !== entry) continue;
      entries.delete(entry.key_hash);
      const { key, key_hash, tags, group, revision, author } = entry;
      this.#services.notify(
        { action, scope, key: key as never, key_hash, tags, group, revision, author },
        agent,
      );
    }
  }
}

/** Returns a copy of a result, which the caller may change (clause PLUG-25). */
function copied<Result extends PluginStoreResult | PluginForgetResult>(result: Result): Result {
  if (!("receipts" in result)) return { ...result };
  const receipts = result.receipts.map((receipt) => ({ ...receipt }));
  return { ...result, receipts, errors: result.errors.map((error) => ({ ...error })) };
}

/**
 * Stores an entry. Fields of A2E are replaced, and absent extension fields are kept (clauses UPD-1 to UPD-6).
 */
function store(partition: Partition, item: StoreItem, op: Operation): StoreReceipt {
  const previous = partition.entries.get(item.key_hash);
  const revision = Math.max(partition.lastRevision + 1, Math.floor(op.accepted_at * 1e6));
  const entry = merge(partition.scope, item, previous, { op, revision });
  const { index, key_hash } = item;
  if (previous && isUnchanged(item, entry, previous)) {
    return { index, key_hash, outcome: "unchanged", revision: previous.revision };
  }
  partition.lastRevision = revision;
  partition.entries.set(key_hash, entry);
  return { index, key_hash, outcome: previous ? "updated" : "created", revision };
}

function merge(
  { tier, namespace }: Scope,
  item: StoreItem,
  previous: MemoryEntry | undefined,
  { op, revision }: { op: Operation; revision: number },
): MemoryEntry {
  const created = previous?.timestamps.created ?? op.accepted_at;
  const importance = previous ? kept(item.importance, previous.importance) : (item.importance ?? item.score);
  const sameContent = previous !== undefined && sameJson(previous.content, item.content);
  const optional = {
    metadata: kept(item.metadata, previous?.metadata),
    text: kept(item.text, sameContent ? previous.text : undefined),
    context: kept(item.context, previous?.context),
    group: kept(item.group, previous?.group),
    expires_at: item.expires_at ?? undefined,
  };
  return {
    key: item.key,
    key_hash: item.key_hash,
    content: item.content,
    tier,
    namespace,
    tags: item.tags ?? [],
    source: item.source ?? op.agent,
    author: op.agent,
    score: importance ?? 1,
    importance: importance ?? 1,
    ttl: item.ttl,
    timestamps: { created, updated: op.accepted_at, accessed: op.accepted_at },
    occurred_at: kept(item.occurred_at, previous?.occurred_at) ?? created,
    revision,
    seq: previous?.seq ?? revision,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

function kept<T>(value: T | null | undefined, previous: T | undefined): T | undefined {
  return value === undefined ? previous : (value ?? undefined);
}

function isUnchanged(item: StoreItem, entry: MemoryEntry, previous: MemoryEntry): boolean {
  if (item.expires_at !== null || previous.expires_at !== undefined) return false;
  const chosen = ({
    content,
    tags,
    source,
    importance,
    occurred_at,
    metadata,
    text,
    context,
    group,
  }: MemoryEntry) => ({
    ...{ content, tags, source, importance, occurred_at },
    ...{ metadata: metadata ?? null, text: text ?? null, context: context ?? null, group: group ?? null },
  });
  return sameJson(chosen(entry), chosen(previous));
}

function sameJson(a: unknown, b: unknown): boolean {
  return canonicalJson(a as never) === canonicalJson(b as never);
}

function operationKey({ tenant, agent, id }: Pick<Operation, "tenant" | "agent" | "id">): string {
  return JSON.stringify([tenant, agent, id]);
}

/** Creates an instance, for a host or `membus-conformance`. `options` come from the settings. */
export function createPlugin(options: Readonly<Record<string, unknown>> = {}): MemoryPlugin {
  const [unknown] = Object.keys(options);
  if (unknown !== undefined) throw new TypeError(`plugin-name has no option \`${unknown}\``);
  return new PluginNamePlugin();
}
