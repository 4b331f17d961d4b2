import type { ForgetRequest } from "@membus/agent-client";
import { isMemoryError, option, optionSet, parseOptions, type ResolvedOptionsOf } from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import { lineageOf } from "./facts/history.js";
import { removeFromContexts } from "./forget-context.js";
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

const ForgetTargetSchema = optionSet({
  ids: option.list(option.text()).optional(),
  history: option.boolean().default(false),
  category: option.text().optional(),
  all: option.value<true>((given) => given === true, "must be true").optional(),
  cascade: option.boolean().default(false),
});

export interface ResolvedForgetTarget extends ResolvedOptionsOf<typeof ForgetTargetSchema> {}

/** @throws {TypeError} for an unknown option, or if not exactly one of `ids`, `category` and `all` is given. */
export function parseForgetTarget(given: ForgetTarget): ResolvedForgetTarget {
  const target = parseOptions(ForgetTargetSchema, given);
  const count = [target.ids, target.category, target.all].filter((one) => one !== undefined).length;
  if (count === 1) return target;
  throw new TypeError(`forget needs exactly one of ids, category and all, got ${count} of them`);
}

/** Forgets matching memories of every kind, current or not. @returns their number. */
export async function forgetIn(view: NamespaceView, target: ResolvedForgetTarget): Promise<number> {
  const { ids, category, history } = target;
  const cascade = (target.cascade ? { cascade: true } : {}) as ForgetRequest;
  if (ids !== undefined) {
    const all = history ? await withHistory(view, ids) : ids;
    await removeFromContexts(view, (await view.byKey(all.map((fact) => ({ fact })))).values());
    return view.forgetKeys(all.flatMap(keysOf), cascade);
  }
  const kinds = kindIs(...MEMORY_KINDS);
  if (category === undefined) return view.forget({ ...cascade, where: kinds });
  const isOfCategory = { field: "metadata.category", op: "eq" as const, value: category };
  const where = { all: [kinds, isOfCategory] };
  await removeFromContexts(view, await view.all({ where }));
  return view.forget({ ...cascade, where });
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
