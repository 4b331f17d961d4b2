import type { ForgetRequest } from "@membus/agent-client";
import { isMemoryError } from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import { lineageOf } from "./facts/history.js";
import type { NamespaceView } from "./namespace-view.js";
import { keysOf, MEMORY_KINDS } from "./recall/memory.js";

/** Selects what to forget, by one of the three. */
export type ForgetTarget = (
  | {
      readonly ids: readonly string[];
      /** Whether to also forget the facts that they replaced or that replaced them. */
      readonly history?: boolean | undefined;
    }
  | { readonly category: string }
  | { readonly all: true }
) & {
  /** Whether to also forget entries derived from them. A host without support for cascades rejects it. */
  readonly cascade?: boolean | undefined;
};

/** Forgets matching memories of every kind, current or not. @returns their number. */
export async function forgetIn(view: NamespaceView, target: ForgetTarget): Promise<number> {
  const cascade = (target.cascade === true ? { cascade: true } : {}) as ForgetRequest;
  if ("all" in target) return view.forget({ ...cascade, where: kindIs(...MEMORY_KINDS) });
  if ("category" in target) {
    const category = { field: "metadata.category", op: "eq" as const, value: target.category };
    return view.forget({ ...cascade, where: { all: [kindIs(...MEMORY_KINDS), category] } });
  }
  const ids = target.history === true ? await withHistory(view, target.ids) : target.ids;
  return view.forgetKeys(ids.flatMap(keysOf), cascade);
}

async function withHistory(view: NamespaceView, ids: readonly string[]): Promise<string[]> {
  const all = new Set(ids);
  for (const id of ids) {
    try {
      for (const fact of await lineageOf(view, id)) all.add(fact.id);
    } catch (error) {
      if (!isMemoryError(error) || error.code !== "memory_not_found") throw error;
    }
  }
  return [...all];
}
