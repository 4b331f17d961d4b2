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
   * Where the items are, 1..8 segments; LangGraph's own namespaces are part of their keys.
   * @default "langgraph/store"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for items that all agents of the tenant share, "working" for those that need not outlive the host.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /** Seconds after which an item ends, 1..3155760000, counted anew by each `put`; absent: never. */
  readonly ttl?: number | undefined;
  /**
   * By what of its value an item is found where `put` does not say it: paths such as "title" or "chapters[*].text", false
   * for nothing; absent: all of it. In a graph this is the only way to say it, for what a node puts loses its `index`.
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
