import { COLUMNS, type Column } from "./schema.js";

/** Filter in LanceDB's SQL. Only this module creates filters, and never from a caller's text. */
export type Filter = string & { readonly filter: unique symbol };

type Comparison = "=" | "<>" | ">" | ">=" | "<=";

export function compare(column: Column, comparison: Comparison, value: string | number): Filter {
  return `${known(column)} ${comparison} ${literal(value)}` as Filter;
}

export function isIn(column: Column, values: readonly (string | number)[]): Filter {
  return `${known(column)} IN (${values.map(literal).join(", ")})` as Filter;
}

export function and(...filters: readonly Filter[]): Filter {
  return filters.join(" AND ") as Filter;
}

export function or(...filters: readonly Filter[]): Filter {
  return filters.map((filter) => `(${filter})`).join(" OR ") as Filter;
}

/**
 * Returns a filter for every row of these fragments. The upper half of LanceDB's internal row id is the
 * fragment.
 */
export function inFragments(fragments: readonly number[]): Filter {
  const ranges = fragments.map((fragment) => {
    const first = BigInt(fragment) << 32n;
    return `(_rowid >= ${first} AND _rowid < ${first + (1n << 32n)})`;
  });
  return ranges.join(" OR ") as Filter;
}

function known(column: Column): Column {
  if (!COLUMNS.includes(column)) throw new TypeError(`unknown column ${JSON.stringify(column)}`);
  return column;
}

function literal(value: string | number): string {
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (!Number.isFinite(value)) throw new TypeError(`a filter cannot compare with ${value}`);
  return String(value);
}
