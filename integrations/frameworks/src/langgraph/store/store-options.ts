import { namespaceOption } from "@membus/agentic";
import {
  choiceOption,
  type MemoryTier,
  optionalOption,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import { ttlOption } from "../../values/index.js";
import { checkIndex, type Index } from "./indexed-text.js";

export interface StoreOptions {
  /**
   * Namespace of the items, 1..8 segments. LangGraph's namespaces are part of their keys.
   * @default "langgraph/store"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for items that all agents of the tenant share, "working" for data that need not survive a
   * restart of the host.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /** Seconds until an item expires, 1..3155760000, restarted by each `put`. Absent: never. */
  readonly ttl?: number | undefined;
  /**
   * Indexed parts of a value if `put` does not set them: paths such as "title" or "chapters[*].text", or
   * false for none. Absent: the whole value. In a graph only this option works, because LangGraph drops the
   * `index` of a node's `put`.
   */
  readonly index?: Index | undefined;
}

export type ResolvedStoreOptions = Readonly<
  ResolvedOptions<Pick<StoreOptions, "namespace" | "tier">> & Pick<StoreOptions, "ttl" | "index">
>;

export const STORE_DEFAULTS = Object.freeze({ namespace: "langgraph/store", tier: "episodic" } as const);

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveStoreOptions(input: StoreOptions): ResolvedStoreOptions {
  const defaults = { ...STORE_DEFAULTS, ttl: undefined, index: undefined };
  return resolveOptions<ResolvedStoreOptions>(input, defaults, {
    namespace: namespaceOption,
    tier: choiceOption(...TIERS),
    ttl: ttlOption,
    index: optionalOption(checkIndex),
  });
}
