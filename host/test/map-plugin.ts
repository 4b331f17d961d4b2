import {
  deriveText,
  type MemoryEntry,
  MemoryError,
  matches,
  parseScopeId,
  type Scope,
  type ScopeSelector,
  type StoreReceipt,
  scopeId,
  selectsScope,
} from "@membus/protocol";
import {
  comparePositions,
  FEATURES,
  type Feature,
  type MemoryPlugin,
  type Operation,
  PLUGIN_CONTRACT,
  type PluginForgetRequest,
  type PluginManifest,
  type PluginRetrieveRequest,
  type PluginServices,
  type PluginStatusResult,
  type PluginStoreRequest,
  positionOf,
  type StoreItem,
} from "@membus/protocol/plugin";

interface Stored {
  readonly scope: Scope;
  readonly entry: MemoryEntry;
  readonly text: string;
}

const OFFERED: readonly Feature[] = ["full_text", "ttl", "conditional", "subtree"];

/**
 * Complete plugin on a Map, small and slow. The score of an entry is the share of the query's words that it
 * contains.
 */
export class MapPlugin implements MemoryPlugin {
  readonly manifest: PluginManifest;
  readonly calls: string[] = [];
  readonly #entries = new Map<string, Stored>();
  readonly #operations = new Map<string, { digest: string; result: PluginStatusResult }>();
  #services!: PluginServices;
  #revision = 0;

  constructor(features: Partial<Record<Feature, boolean>> = {}) {
    const named = Object.keys(FEATURES).map((name) => [name, OFFERED.includes(name as Feature)]);
    this.manifest = {
      contract: PLUGIN_CONTRACT,
      name: "map",
      version: "1.0.0",
      features: { ...Object.fromEntries(named), ...features } as PluginManifest["features"],
    };
  }

  async open(services: PluginServices): Promise<void> {
    this.calls.push("open");
    this.#services = services;
  }

  async onStore(scope: Scope, { op, entries }: PluginStoreRequest) {
    this.calls.push("store");
    const earlier = this.#operations.get(operationId(op));
    if (earlier !== undefined && earlier.digest !== op.digest)
      throw new MemoryError("conflict", "other body");
    if (earlier !== undefined) return earlier.result;
    const result: PluginStatusResult = { receipts: [], errors: [], done: true };
    for (const item of entries) {
      try {
        (result.receipts as StoreReceipt[]).push(this.#put(scope, item, op));
      } catch (error) {
        (result.errors as object[]).push({ index: item.index, error });
      }
    }
    this.#operations.set(operationId(op), { digest: op.digest, result });
    return result;
  }

  async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest) {
    this.calls.push("retrieve");
    const { order, after, limit } = request;
    const found = this.#select(selector)
      .filter(({ entry }) => matches(entry as Parameters<typeof matches>[0], request.filter))
      .map(({ entry, text }) => ({ ...entry, score: entry.importance * wordShare(request.query, text) }))
      .filter(({ score }) => score >= request.min_score && (request.query === undefined || score > 0))
      .map((entry) => ({ entry, position: positionOf(entry, order) }))
      .sort((a, b) => comparePositions(a.position, b.position, order));
    const following = found.filter(({ position }) => !after || comparePositions(after, position, order) < 0);
    const entries = following.slice(0, limit).map(({ entry }) => entry);
    return { entries, total: found.length, total_relation: "eq" as const };
  }

  async onForget(selector: ScopeSelector, { op, filter, dry_run }: PluginForgetRequest) {
    this.calls.push("forget");
    const removed = this.#select(selector).filter(({ entry }) =>
      matches(entry as Parameters<typeof matches>[0], filter),
    );
    if (!dry_run) for (const { scope, entry } of removed) this.#remove(scope, entry, "forgotten", op.agent);
    return { deleted: removed.length, purge: "done" as const };
  }

  async onStatus(op: Pick<Operation, "tenant" | "agent" | "id">) {
    return this.#operations.get(operationId(op))?.result;
  }

  async maintain(): Promise<void> {
    this.calls.push("maintain");
    for (const { scope, entry } of this.#entries.values()) {
      if (this.#isOver(entry)) this.#remove(scope, entry, "expired", entry.author);
    }
  }

  stats() {
    return { entries: this.#entries.size };
  }

  async close(): Promise<void> {
    this.calls.push("close");
  }

  #put(scope: Scope, item: StoreItem, op: Operation): StoreReceipt {
    const id = scopeId(scope) + item.key_hash;
    const before = this.#entries.get(id)?.entry;
    if (item.if_revision != null && item.if_revision !== (before?.revision ?? 0)) {
      throw new MemoryError("conflict", "another revision", { revision: before?.revision ?? 0 });
    }
    const revision = Math.max(this.#revision + 1, Math.floor(op.accepted_at * 1e6));
    this.#revision = revision;
    const entry = toEntry(scope, item, op, { revision, seq: before?.seq ?? revision });
    this.#entries.set(id, { scope, entry, text: item.text ?? deriveText(item.content) });
    const { index, key_hash } = item;
    return { index, key_hash, outcome: before === undefined ? "created" : "updated", revision };
  }

  #select(selector: ScopeSelector): Stored[] {
    return [...this.#entries.values()].filter(
      ({ scope, entry }) => selectsScope(selector, parseScopeId(scopeId(scope))) && !this.#isOver(entry),
    );
  }

  #isOver({ expires_at }: MemoryEntry): boolean {
    return expires_at !== undefined && expires_at <= this.#services.clock.now();
  }

  #remove(scope: Scope, entry: MemoryEntry, action: "forgotten" | "expired", agent: string): void {
    this.#entries.delete(scopeId(scope) + entry.key_hash);
    const { key, key_hash, tags, group, revision, author } = entry;
    const change = { action, scope, key, key_hash, tags, group, revision, author } as const;
    this.#services.notify(change as Parameters<PluginServices["notify"]>[0], agent);
  }
}

function toEntry(
  scope: Scope,
  item: StoreItem,
  op: Operation,
  numbers: { readonly revision: number; readonly seq: number },
): MemoryEntry {
  const now = op.accepted_at;
  return {
    key: item.key,
    key_hash: item.key_hash,
    content: item.content,
    tier: scope.tier,
    tags: item.tags ?? [],
    source: item.source ?? op.agent,
    score: 1,
    ttl: item.ttl,
    timestamps: { created: now, updated: now, accessed: now },
    ...numbers,
    namespace: scope.namespace,
    author: op.agent,
    occurred_at: item.occurred_at ?? now,
    importance: item.importance ?? item.score ?? 1,
    ...(item.expires_at !== null && { expires_at: item.expires_at }),
    ...(item.group && { group: item.group }),
  };
}

function operationId({ tenant, agent, id }: Pick<Operation, "tenant" | "agent" | "id">): string {
  return JSON.stringify([tenant, agent, id]);
}

function wordShare(query: string | undefined, text: string): number {
  if (query === undefined) return 1;
  const words = query.toLowerCase().split(/\s+/);
  const stored = new Set(text.toLowerCase().split(/\W+/));
  return words.filter((word) => stored.has(word)).length / words.length;
}
