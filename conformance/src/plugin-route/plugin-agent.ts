import {
  type Caller,
  type Clock,
  errorFields,
  isMemoryError,
  type ListItem,
  type MemoryEntry,
  MemoryError,
  type MemoryTier,
  parseNamespacePattern,
  scopeOf,
  selectorOf,
} from "@membus/protocol";
import {
  compareListPositions,
  listPositionOf,
  type MemoryPlugin,
  type PluginStoreRequest,
  type PluginStoreResult,
  positionOf,
} from "@membus/protocol/plugin";
import { newRequestId } from "../fixtures/request-id.js";
import { undeclaredIn, undeclaredInEntry } from "../fixtures/undeclared.js";
import type {
  EntryInput,
  ErasureReply,
  ForgetInput,
  ForgetReply,
  ListInput,
  ListReply,
  MemoryAgent,
  RetrieveInput,
  RetrieveReply,
  StatusReply,
  StoreInput,
  StoreReply,
} from "../memory-agent.js";
import type { Trace } from "../trace.js";
import { checkedResult } from "./check-result.js";
import { type Cursor, compileForget, compileList, compileRetrieve, compileStore } from "./compile-request.js";
import { featuresOf } from "./plugin-instance.js";

/** Fields of a request of any type. */
interface Fields extends Readonly<Record<string, unknown>> {
  readonly id?: string | null | undefined;
  readonly namespace?: string | null | undefined;
}

type Errors = Pick<PluginStoreResult, "errors">;

export interface PluginAgentParts {
  readonly tier: MemoryTier;
  readonly clock: Clock;
  readonly trace: Trace;
  /** Accepts malformed results. */
  readonly anyForm?: boolean | undefined;
  /** Returns the instance that is open now. */
  plugin(): MemoryPlugin;
}

/** An agent that sends its requests directly to a plugin, compiled as a host does. */
export class PluginAgent implements MemoryAgent {
  readonly tenant: string;
  readonly agent: string;
  readonly namespace: string;
  readonly #caller: Caller;
  readonly #parts: PluginAgentParts;

  constructor(caller: Caller, namespace: string, parts: PluginAgentParts) {
    this.tenant = caller.tenant;
    this.agent = caller.agent;
    this.namespace = namespace;
    this.#caller = caller;
    this.#parts = parts;
  }

  store(entries: EntryInput | readonly EntryInput[], options: StoreInput = {}): Promise<StoreReply> {
    const message = this.#message("memory/store/req", { ...options, entries: [entries].flat() });
    return this.#record(message, async () => {
      const request = compileStore(message, this.#parts.tier, this.#accepted());
      const { entries, errors } = this.#offered(message, request);
      const scope = scopeOf(this.#parts.tier, this.#caller, message.namespace);
      const asked = entries.length > 0 || errors.length === 0;
      const store = () => this.#call("onStore", (plugin) => plugin.onStore(scope, { ...request, entries }));
      const result = asked ? this.#checked("onStore", await store()) : { receipts: [], errors: [] };
      return storeReply({ ...result, errors: [...result.errors, ...errors] }, request);
    });
  }

  retrieve(input: RetrieveInput = {}): Promise<RetrieveReply> {
    const { cursor: text, ...fields } = input;
    const message = this.#message("memory/retrieve/req", fields);
    return this.#record({ ...message, cursor: text }, async () => {
      this.#demandOffered(message);
      const cursor = text ? (JSON.parse(text) as Cursor) : undefined;
      const compiled = compileRetrieve(message, this.#parts.clock.now(), cursor);
      // A tier that does not declare `approximate` is always exact.
      const isAsked = input.exact === true && featuresOf(this.#parts.plugin()).approximate === true;
      const request = { ...compiled, ...(isAsked && { exact: true as const }) };
      const selector = selectorOf(this.#parts.tier, this.#caller, parseNamespacePattern(message.namespace));
      const returned = await this.#call("onRetrieve", (plugin) => plugin.onRetrieve(selector, request));
      const { degraded, explain, cut, approximate, ...result } = this.#checked("onRetrieve", returned);
      // A host knows exactly whether there is a next page. Agents can only rely on a page not being empty.
      const isOnePage = Boolean(request.diversity || request.rerank);
      const isLast = isOnePage || (result.entries.length < request.limit && !cut);
      const last = isLast ? undefined : result.entries.at(-1);
      const next = last && { after: positionOf(last, request.order), as_of: request.as_of };
      return {
        ...result,
        entries: result.entries as MemoryEntry[],
        ...(next && { cursor: JSON.stringify(next) }),
        ...(approximate && { approximate: [this.#parts.tier] }),
        ...(explain && { explain: [{ tier: this.#parts.tier, ...explain }] }),
        ...(degraded && {
          degraded: [{ tier: this.#parts.tier, code: degraded.code, message: degraded.message }],
        }),
      };
    });
  }

  forget(input: ForgetInput): Promise<ForgetReply> {
    const { tier } = this.#parts;
    const message = this.#message("memory/forget/req", { tier, ...input });
    return this.#record(message, async () => {
      this.#demandOffered(message);
      const request = compileForget(message, this.#accepted());
      const selector = selectorOf(tier, this.#caller, parseNamespacePattern(message.namespace));
      const returned = await this.#call("onForget", (plugin) => plugin.onForget(selector, request));
      const { deleted, cascaded, at, purge } = this.#checked("onForget", returned);
      const receipt = {
        id: request.op.id,
        at: at ?? request.op.accepted_at,
        by_tier: { [tier]: deleted },
        ...(cascaded && { cascaded: [...cascaded] }),
        purge,
      };
      return { deleted, receipt };
    });
  }

  status(requestId: string): Promise<StatusReply> {
    const op = { tenant: this.tenant, agent: this.agent, id: requestId };
    return this.#record({ type: "memory/status/req", request_id: requestId }, async () => {
      const returned = await this.#call("onStatus", (plugin) => plugin.onStatus(op));
      const result = this.#checked("onStatus", returned);
      if (result === undefined) throw new MemoryError("memory_not_found", "the plugin knows no such request");
      const { receipts, errors } = result;
      return {
        done: result.done,
        receipts: [...receipts],
        errors: errors.map((item) => entryError(item, null)),
      };
    });
  }

  erasure(requestId: string): Promise<ErasureReply> {
    const op = { tenant: this.tenant, agent: this.agent, id: requestId };
    return this.#record({ type: "memory/status/req", request_id: requestId, kind: "forget" }, async () => {
      const returned = await this.#call("onErasure", async (plugin) => {
        if (plugin.onErasure !== undefined) return plugin.onErasure(op);
        throw new MemoryError("unsupported", "the plugin has no onErasure", { feature: "erasure" });
      });
      const result = this.#checked("onErasure", returned);
      if (result === undefined) throw new MemoryError("memory_not_found", "the plugin knows no such forget");
      return { done: result.purge === "done", ...result };
    });
  }

  list(input: ListInput = {}): Promise<ListReply> {
    const message = this.#message("memory/list/req", input);
    return this.#record(message, async () => {
      this.#demandOffered(message);
      const request = compileList(message);
      const selector = selectorOf(this.#parts.tier, this.#caller, parseNamespacePattern(message.namespace));
      const returned = await this.#call("onList", async (plugin) => {
        if (plugin.onList !== undefined) return plugin.onList(selector, request);
        throw new MemoryError("unsupported", "the plugin has no onList", { feature: "list" });
      });
      const items = [...this.#checked("onList", returned).items].sort(byName);
      return { items, total: items.length, total_relation: "eq" };
    });
  }

  #message(type: string, { id, namespace, ...fields }: Fields) {
    return { ...fields, type, id: id ?? newRequestId(), namespace: namespace ?? this.namespace };
  }

  #accepted() {
    return { tenant: this.tenant, agent: this.agent, accepted_at: this.#parts.clock.now() };
  }

  /** The entries that the plugin's manifest lets a host pass on, and why not the others. */
  #offered(message: Fields, { entries }: PluginStoreRequest): Pick<PluginStoreRequest, "entries"> & Errors {
    const features = featuresOf(this.#parts.plugin());
    const ofAll = undeclaredIn(message, features);
    const lacks = new Map(entries.map((item) => [item, ofAll ?? undeclaredInEntry(item, features)]));
    const refused = entries.filter((item) => lacks.get(item) !== undefined);
    return {
      entries: entries.filter((item) => lacks.get(item) === undefined),
      errors: refused.map((item) => ({ index: item.index, error: notOffered(lacks.get(item)!) })),
    };
  }

  /** Returns the entries that the manifest allows a host to pass on, and errors for the others. */
  #demandOffered(message: Fields): void {
    const lack = undeclaredIn(message, featuresOf(this.#parts.plugin()));
    if (lack !== undefined) throw notOffered(lack);
  }

  #checked<Method extends Parameters<typeof checkedResult>[0]>(method: Method, result: unknown) {
    return checkedResult(method, result, this.#parts.anyForm ?? false);
  }

  #record<Reply>(message: Readonly<Record<string, unknown>>, work: () => Promise<Reply>): Promise<Reply> {
    const { tenant, agent } = this;
    return this.#parts.trace.recordStep(
      `${agent}@${tenant} ${message.type}`,
      { tenant, agent, message },
      work,
    );
  }

  /** Calls the plugin. Other errors become `runtime_error`, as in a host. */
  async #call(method: string, call: (plugin: MemoryPlugin) => Promise<unknown>): Promise<unknown> {
    try {
      return await call(this.#parts.plugin());
    } catch (cause) {
      if (isMemoryError(cause)) throw cause;
      throw new MemoryError("runtime_error", `${method} threw ${String(cause)}`, {}, { cause });
    }
  }
}

/**
 * Builds the reply in the order of the entries, as a host does (clause STORE-7). A plugin may return another
 * order.
 */
function storeReply(result: PluginStoreResult, request: PluginStoreRequest): StoreReply {
  const keys = new Map(request.entries.map(({ index, key }) => [index, key]));
  const receipts = [...result.receipts].sort(byIndex);
  const stored = receipts.filter(({ outcome }) => outcome !== "superseded");
  return {
    stored: stored.map(({ index }) => keys.get(index)!),
    receipts,
    errors: [...result.errors].sort(byIndex).map((item) => entryError(item, keys.get(item.index) ?? null)),
  };
}

function notOffered(feature: string): MemoryError {
  return new MemoryError("unsupported", `the plugin does not declare ${feature}`, { feature });
}

function byName(a: ListItem, b: ListItem): number {
  return compareListPositions(listPositionOf(a, "name"), listPositionOf(b, "name"));
}

function byIndex(a: { readonly index: number }, b: { readonly index: number }): number {
  return a.index - b.index;
}

function entryError(
  { index, error }: PluginStoreResult["errors"][number],
  key: StoreReply["errors"][number]["key"],
) {
  return { index, key, ...errorFields(error) };
}
