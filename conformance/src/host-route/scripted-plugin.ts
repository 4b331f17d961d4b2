import {
  type ListItem,
  type MemoryEntry,
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
  type Feature,
  type MemoryPlugin,
  type Operation,
  PLUGIN_CONTRACT,
  type PluginAgentsRequest,
  type PluginAgentsResult,
  type PluginErasureResult,
  type PluginForgetRequest,
  type PluginForgetResult,
  type PluginListRequest,
  type PluginListResult,
  type PluginManifest,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  type PluginServices,
  type PluginStatusResult,
  type PluginStoreRequest,
  type PluginStoreResult,
  positionOf,
  type StoreItem,
} from "@membus/protocol/plugin";

type Methods = Required<MemoryPlugin>;
type Instead<Method extends "onStore" | "onRetrieve" | "onForget" | "onList"> = (
  usual: () => ReturnType<Methods[Method]>,
  request: Parameters<Methods[Method]>[1],
) => ReturnType<Methods[Method]>;

/** Replacements for the methods of a plugin. `usual` calls the original behaviour. */
export interface Script {
  onStore?: Instead<"onStore">;
  onRetrieve?: Instead<"onRetrieve">;
  onForget?: Instead<"onForget">;
  onList?: Instead<"onList">;
  onAgents?(request: PluginAgentsRequest): Promise<PluginAgentsResult>;
  onStatus?(): Promise<PluginStatusResult | undefined>;
  onErasure?(): Promise<PluginErasureResult | undefined>;
  open?(): Promise<void>;
  maintain?(): Promise<void>;
  stats?(): Readonly<Record<string, number | string>>;
}

interface HeldRow {
  readonly scope: Scope;
  readonly entry: MemoryEntry;
}

const UNDECLARED = Object.keys(FEATURES).map((name): [Feature, boolean] => [name as Feature, false]);

/** A correct plugin based on lists and maps, without search. A check can replace its behaviour. */
export class ScriptedPlugin implements MemoryPlugin {
  /** Current replacements. May be changed at any time. */
  script: Script = {};
  readonly manifest: PluginManifest;
  /** Calls of the host and their ends: `onStore`, `onStore settled`. */
  readonly log: string[] = [];
  /** Arguments of `onStore` calls. */
  readonly stores: { readonly scope: Scope; readonly request: PluginStoreRequest }[] = [];
  services: PluginServices | undefined;
  readonly #rows = new Map<string, HeldRow>();
  readonly #results = new Map<string, PluginStoreResult | PluginForgetResult>();

  /** Creates a plugin that declares `features`, by default ttl and subtree. */
  constructor(features: Partial<Record<Feature, boolean>> = { ttl: true, subtree: true }) {
    const declared = { ...Object.fromEntries(UNDECLARED), ...features } as Record<Feature, boolean>;
    this.manifest = { contract: PLUGIN_CONTRACT, name: "scripted", version: "1.0.0", features: declared };
  }

  open(services: PluginServices): Promise<void> {
    this.services = services;
    return this.#logged("open", async () => this.script.open?.());
  }

  close(): Promise<void> {
    return this.#logged("close", async () => {});
  }

  maintain(): Promise<void> {
    return this.#logged("maintain", async () => this.script.maintain?.());
  }

  stats(): Readonly<Record<string, number | string>> {
    return this.script.stats?.() ?? {};
  }

  onStore(scope: Scope, request: PluginStoreRequest): Promise<PluginStoreResult> {
    this.stores.push({ scope, request });
    const usual = async () => this.#once(request.op, () => this.#store(scope, request));
    return this.#logged("onStore", () => this.script.onStore?.(usual, request) ?? usual());
  }

  onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<PluginRetrieveResult> {
    const usual = async () => this.#page(selector, request);
    return this.#logged("onRetrieve", () => this.script.onRetrieve?.(usual, request) ?? usual());
  }

  onForget(selector: ScopeSelector, request: PluginForgetRequest): Promise<PluginForgetResult> {
    const usual = async () => this.#once(request.op, () => this.#forget(selector, request));
    return this.#logged("onForget", () => this.script.onForget?.(usual, request) ?? usual());
  }

  onList(selector: ScopeSelector, request: PluginListRequest): Promise<PluginListResult> {
    const usual = async () => this.#list(selector, request);
    return this.#logged("onList", () => this.script.onList?.(usual, request) ?? usual());
  }

  onAgents(request: PluginAgentsRequest): Promise<PluginAgentsResult> {
    return this.#logged("onAgents", async () => {
      if (this.script.onAgents !== undefined) return this.script.onAgents(request);
      return { agents: this.#agents(request) };
    });
  }

  onStatus(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginStatusResult | undefined> {
    const result = this.#results.get(operationKey(op)) as PluginStoreResult | undefined;
    const known = result?.receipts && { ...result, done: true };
    return this.#logged("onStatus", async () => (this.script.onStatus ? this.script.onStatus() : known));
  }

  /** Reports a complete erasure, because the plugin writes nothing to disk. */
  onErasure(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginErasureResult | undefined> {
    const result = this.#results.get(operationKey(op)) as PluginForgetResult | undefined;
    const usual = { purge: "done", purged_at: this.services!.clock.now() } as const;
    const known = result?.deleted === undefined ? undefined : usual;
    return this.#logged("onErasure", async () => (this.script.onErasure ? this.script.onErasure() : known));
  }

  #agents({ tenant, after = "", limit }: PluginAgentsRequest): string[] {
    const scopes = [...this.#rows.values()].map(({ scope }) => scope).filter((one) => one.tenant === tenant);
    const names = new Set(scopes.flatMap(({ agent = "" }) => (agent > after ? [agent] : [])));
    return [...names].sort().slice(0, limit);
  }

  async #logged<Result>(method: string, work: () => Promise<Result>): Promise<Result> {
    this.log.push(method);
    try {
      return await work();
    } finally {
      this.log.push(`${method} settled`);
    }
  }

  #once<Result extends PluginStoreResult | PluginForgetResult>(op: Operation, work: () => Result): Result {
    const key = operationKey(op);
    const result = (this.#results.get(key) as Result | undefined) ?? work();
    this.#results.set(key, result);
    return result;
  }

  #store(scope: Scope, { op, entries }: PluginStoreRequest): PluginStoreResult {
    return { receipts: entries.map((item) => this.#storeOne(scope, item, op)), errors: [] };
  }

  #storeOne(scope: Scope, item: StoreItem, op: Operation): StoreReceipt {
    const id = `${scopeId(scope)} ${item.key_hash}`;
    const previous = this.#rows.get(id)?.entry;
    const revision = Math.max((previous?.revision ?? 0) + 1, Math.floor(op.accepted_at * 1e6) + item.index);
    this.#rows.set(id, { scope, entry: toEntry(scope, item, op, revision, previous?.seq ?? revision) });
    const outcome = previous === undefined ? "created" : "updated";
    return { index: item.index, key_hash: item.key_hash, outcome, revision };
  }

  #page(
    selector: ScopeSelector,
    { filter, order, limit, after }: PluginRetrieveRequest,
  ): PluginRetrieveResult {
    const found = [...this.#rows.values()]
      .filter(({ scope, entry }) => selectsScope(selector, scope) && matches(entry as never, filter))
      .map(({ entry }) => entry)
      .sort((a, b) => comparePositions(positionOf(a, order), positionOf(b, order), order));
    const isBehind = (entry: MemoryEntry) =>
      !after || comparePositions(after, positionOf(entry, order), order) < 0;
    return { entries: found.filter(isBehind).slice(0, limit), total: found.length, total_relation: "eq" };
  }

  /** Lists tags or namespaces. */
  #list(selector: ScopeSelector, { filter, field }: PluginListRequest): PluginListResult {
    const items = new Map<string, ListItem>();
    for (const { scope, entry } of this.#rows.values()) {
      if (!selectsScope(selector, scope) || !matches(entry as never, filter)) continue;
      const bytes = Buffer.byteLength(JSON.stringify(entry.content));
      for (const value of new Set(field === undefined ? [scope.namespace] : entry.tags)) {
        const { count, newest, bytes: before } = items.get(value) ?? { count: 0, newest: 0, bytes: 0 };
        const latest = Math.max(newest, entry.occurred_at);
        items.set(value, { value, count: count + 1, newest: latest, bytes: before + bytes });
      }
    }
    return { items: [...items.values()] };
  }

  #forget(selector: ScopeSelector, { op, filter, dry_run }: PluginForgetRequest): PluginForgetResult {
    const doomed = [...this.#rows].filter(
      ([, { scope, entry }]) => selectsScope(selector, scope) && matches(entry as never, filter),
    );
    if (!dry_run) for (const [id] of doomed) this.#rows.delete(id);
    return { deleted: doomed.length, at: op.accepted_at, purge: "done" };
  }
}

function operationKey({ tenant, agent, id }: Pick<Operation, "tenant" | "agent" | "id">): string {
  return JSON.stringify([tenant, agent, id]);
}

function toEntry(
  { tier, namespace }: Scope,
  { key, key_hash, content, tags, source, ttl, expires_at }: StoreItem,
  { agent, accepted_at }: Operation,
  revision: number,
  seq: number,
): MemoryEntry {
  const timestamps = { created: accepted_at, updated: accepted_at, accessed: accepted_at };
  const from = { source: source ?? agent, author: agent, occurred_at: accepted_at, timestamps };
  const worth = { score: 1, importance: 1, ttl, ...(expires_at !== null && { expires_at }) };
  return { key, key_hash, content, tier, namespace, tags: tags ?? [], ...from, ...worth, revision, seq };
}
