import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { TtlSchema } from "../../values/index.js";
import { type Index, indexError } from "./indexed-text.js";

/** Default namespace of the items. */
export const STORE_NAMESPACE = "langgraph/store";

export const StoreOptionsSchema = optionSet({
  /** Namespace of the items. LangGraph's namespaces are part of their keys. */
  namespace: option.namespace().default(STORE_NAMESPACE),
  /**
   * "semantic" for items that all agents of the tenant share, "working" for data that need not survive a
   * restart of the host.
   */
  tier: option.tier().default("episodic"),
  /** Seconds until an item expires, restarted by each `put`. Absent: never. */
  ttl: TtlSchema.optional(),
  /**
   * Indexed parts of a value if `put` does not set them: paths such as "title" or "chapters[*].text", or
   * false for none. Absent: the whole value. In a graph only this option works, because LangGraph drops the
   * `index` of a node's `put`.
   */
  index: option
    .value<Index>(
      (index) => indexError(index) === undefined,
      (index) => String(indexError(index)),
    )
    .optional(),
});

export interface StoreOptions extends OptionsOf<typeof StoreOptionsSchema> {}
export interface ResolvedStoreOptions extends ResolvedOptionsOf<typeof StoreOptionsSchema> {}
