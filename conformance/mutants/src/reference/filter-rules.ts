import { type Filter, type FilterLeaf, fieldValue, type Json, matchesOperator } from "@membus/protocol";
import { ReferencePlugin } from "./reference-plugin.js";
import type { Row } from "./row.js";

/** Rules that differ from `matches`. */
export interface FilterRules {
  /** Evaluates a leaf on the value of a field. `sound` is the correct result. */
  leaf?(actual: Json | undefined, leaf: FilterLeaf, sound: boolean, row: Row): boolean;
  any?(children: readonly boolean[]): boolean;
  not?(child: boolean): boolean;
}

/** The reference plugin with these filter rules. */
export function filteringBy(rules: FilterRules): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override isSelected(row: Row, { filter }: { readonly filter: Filter }): boolean {
      return holds(row, filter, rules);
    }
  })();
}

function holds(row: Row, filter: Filter, rules: FilterRules): boolean {
  const all = (children: readonly Filter[]) => children.map((child) => holds(row, child, rules));
  if ("all" in filter) return all(filter.all).every(Boolean);
  if ("any" in filter) return (rules.any ?? anyOf)(all(filter.any));
  if ("not" in filter) return (rules.not ?? negation)(holds(row, filter.not, rules));
  const actual = fieldValue({ ...row, timestamps: row }, filter.field);
  const sound = matchesOperator(actual, filter.op, filter.value);
  return rules.leaf?.(actual, filter, sound, row) ?? sound;
}

function anyOf(children: readonly boolean[]): boolean {
  return children.some(Boolean);
}

function negation(child: boolean): boolean {
  return !child;
}
