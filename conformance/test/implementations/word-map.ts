import {
  canonicalJson,
  deriveText,
  importanceFactor,
  type MemoryEntry,
  MemoryError,
  matches,
  type Scope,
  type ScopeSelector,
  type StoreReceipt,
  scopeId,
  selectsScope,
} from "@membus/protocol";
import {
  comparePositions,
  FEATURES,
  type MemoryPlugin,
  type Operation,
  PLUGIN_CONTRACT,
  type PluginForgetRequest,
  type PluginManifest,
  type PluginRetrieveRequest,
  type PluginServices,
  type PluginStatusResult,
  type PluginStoreRequest,
  type PluginStoreResult,
  positionOf,
  type StoreItem,
} from "@membus/protocol/plugin";

const REMEMBERED_SECONDS = 600;
const NOTHING = Object.fromEntries(Object.keys(FEATURES).map((name) => [name, false]));

/** A minimal plugin: a map, and queries by shared words. */
class WordMap implements MemoryPlugin {
  readonly manifest = {
    contract: PLUGIN_CONTRACT,
    name: "word-map",
    version: "1.0.0",
    features: { ...NOTHING, full_text: true },
  } as PluginManifest;
  readonly #rows = new Map<string, { readonly scope: Scope; readonly entry: MemoryEntry }>();
  readonly #results = new Map<
    string,
    { readonly digest: string; readonly result: unknown; readonly at: number }
  >();
  #services!: PluginServices;
  #lastRevision = 0;

  async open(services: PluginServices) {
    this.#services = services;
  }

  async onStore(scope: Scope, { op, entries }: PluginStoreRequest): Promise<PluginStoreResult> {
    const receipts = () => structuredClone(entries).map((item) => this.#store(scope, item, op));
    return structuredClone(this.#once(op, () => ({ receipts: receipts(), errors: [] })));
  }

  async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest) {
    const { filter, query, order, after, limit, min_score, include } = request;
    const place = (entry: MemoryEntry) => positionOf(entry, order);
    const found = this.#select(selector, filter)
      .map(({ entry }) => ({ ...entry, score: scoreOf(entry, query) }))
      .filter(({ score }) => score >= min_score && (!query || score > 0))
      .sort((a, b) => comparePositions(place(a), place(b), order));
    const page = found.filter((entry) => !after || comparePositions(after, place(entry), order) < 0);
    const entries = page.slice(0, limit).map((entry) => structuredClone({ ...entry, ...this.#read(entry) }));
    if (!include.includes("context")) for (const entry of entries) delete entry.context;
    return { entries, total: found.length, total_relation: "eq" } as const;
  }

  async onForget(selector: ScopeSelector, { op, filter, dry_run }: PluginForgetRequest) {
    const forget = () => {
      const doomed = this.#select(selector, filter);
      for (const { scope, entry } of dry_run ? [] : doomed) {
        const { key_hash, tags, group, revision, author } = entry;
        this.#rows.delete(rowId(scope, key_hash));
        const what = { key: entry.key as Exclude<typeof entry.key, string>, key_hash, tags, group };
        this.#services.notify({ action: "forgotten", scope, ...what, revision, author }, op.agent);
      }
      return { deleted: doomed.length, at: op.accepted_at, purge: "done" } as const;
    };
    return dry_run ? forget() : this.#once(op, forget);
  }

  async onStatus(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginStatusResult | undefined> {
    this.#dropResults();
    const result = this.#results.get(operationId(op))?.result as PluginStoreResult | undefined;
    return result?.receipts && structuredClone({ ...result, done: true });
  }

  #select(selector: ScopeSelector, filter: PluginRetrieveRequest["filter"]) {
    const rows = [...this.#rows.values()].filter(({ scope }) => selectsScope(selector, scope));
    return rows.filter(({ entry }) => matches(entry as Parameters<typeof matches>[0], filter));
  }

  #read({ timestamps }: MemoryEntry) {
    timestamps.accessed = this.#services.clock.now();
    return { timestamps: { ...timestamps } };
  }

  #dropResults() {
    for (const [id, { at }] of this.#results) {
      if (this.#services.clock.now() - at <= REMEMBERED_SECONDS) return;
      this.#results.delete(id);
    }
  }

  #once<Result>(op: Operation, work: () => Result): Result {
    this.#dropResults();
    const first = this.#results.get(operationId(op));
    if (first !== undefined && first.digest !== op.digest)
      throw new MemoryError("conflict", "another request had this id", {});
    const result = first === undefined ? work() : first.result;
    if (first === undefined)
      this.#results.set(operationId(op), { digest: op.digest, result, at: op.accepted_at });
    return result as Result;
  }

  #store(scope: Scope, item: StoreItem, op: Operation): StoreReceipt {
    const { index, key_hash } = item;
    const before = this.#rows.get(rowId(scope, key_hash))?.entry;
    const revision = Math.max(this.#lastRevision + 1, Math.floor(op.accepted_at * 1e6));
    const entry = merged(scope, item, before, op, revision);
    if (before !== undefined && callerFields(entry) === callerFields(before))
      return { index, key_hash, outcome: "unchanged", revision: before.revision };
    this.#lastRevision = revision;
    this.#rows.set(rowId(scope, key_hash), { scope, entry });
    return { index, key_hash, outcome: before === undefined ? "created" : "updated", revision };
  }
}

function merged(
  { tier, namespace }: Scope,
  item: StoreItem,
  before: MemoryEntry | undefined,
  { agent, accepted_at }: Operation,
  revision: number,
): MemoryEntry {
  const { key, key_hash, content, score, ttl } = item;
  const [tags, source] = [item.tags ?? [], item.source ?? agent];
  const isSame = before !== undefined && canonicalJson(before.content) === canonicalJson(content);
  const importance = kept(item.importance, before?.importance ?? score ?? 1) ?? 1;
  const created = before?.timestamps.created ?? accepted_at;
  const optional = {
    metadata: kept(item.metadata, before?.metadata),
    text: kept(item.text, isSame ? before.text : undefined),
    context: kept(item.context, before?.context),
    group: kept(item.group, before?.group),
  };
  return {
    ...{ key, key_hash, content, tier, namespace, tags, source, author: agent, score: 1, importance, ttl },
    timestamps: { created, updated: accepted_at, accessed: accepted_at },
    occurred_at: kept(item.occurred_at, before?.occurred_at) ?? created,
    ...{ revision, seq: before?.seq ?? revision },
    ...JSON.parse(JSON.stringify(optional)),
  };
}

/** Keeps the former value if the field is absent, and clears it for null. */
function kept<Value>(given: Value | null | undefined, former: Value | undefined): Value | undefined {
  return given === undefined ? former : (given ?? undefined);
}

/** Returns the fields that a store can change, as text. */
function callerFields(entry: MemoryEntry): string {
  const { timestamps: _, revision: _revision, seq: _seq, author: _author, ...fields } = entry;
  return canonicalJson(fields as never);
}

function scoreOf(entry: MemoryEntry, query: string | undefined): number {
  if (query === undefined) return entry.importance;
  return overlap(query, entry) * importanceFactor(entry.importance);
}

/** Returns the share of a query's words that an entry contains. */
function overlap(query: string, { text, content, key }: MemoryEntry): number {
  const words = new Set(wordsOf(query));
  const own = new Set(wordsOf(`${text ?? deriveText(content)} ${Object.values(key).join(" ")}`));
  return [...words].filter((word) => own.has(word)).length / (words.size || 1);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function rowId(scope: Scope, keyHash: string): string {
  return `${scopeId(scope)} ${keyHash}`;
}

function operationId({ tenant, agent, id }: Pick<Operation, "tenant" | "agent" | "id">): string {
  return JSON.stringify([tenant, agent, id]);
}

export function createPlugin(): MemoryPlugin {
  return new WordMap();
}
