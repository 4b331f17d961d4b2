import { z } from "zod";
import { boundedString } from "../bounded-values.js";
import { isJsonObject, type Json, throwOverLimit, truncateName } from "../json.js";
import { LIMITS } from "../limits.js";
import { MemoryError } from "../memory-error.js";
import { didYouMean } from "../options/nearest-name.js";
import { FILTER_OPERATORS, type Filter, type FilterOperator } from "./filter.js";

const FIXED_FIELDS = [
  "tags",
  "sources",
  "source",
  "author",
  "group",
  "importance",
  "created",
  "updated",
  "occurred_at",
  "expires_at",
];
const FIELD = new RegExp(
  `^(${FIXED_FIELDS.join("|")}|metadata\\.[A-Za-z0-9_-]{1,64}|key\\.[\\s\\S]{1,${LIMITS.stringLength}})$`,
);

const ScalarSchema = z.union([boundedString(LIMITS.stringLength), z.number(), z.boolean()]);

/** Schema of the `where` tree, for the generated schema and types. */
export const WhereSchema: z.ZodType<Filter> = z
  .lazy(() =>
    z.union([
      z.strictObject({ all: z.array(WhereSchema).min(1) }),
      z.strictObject({ any: z.array(WhereSchema).min(1) }),
      z.strictObject({ not: WhereSchema }),
      z.strictObject({
        field: z.string().regex(FIELD),
        op: z.enum(FILTER_OPERATORS),
        value: z.union([ScalarSchema, z.array(ScalarSchema)]),
      }),
    ]),
  )
  .meta({ id: "Where" }) as z.ZodType<Filter>;

const BRANCHES = ["all", "any", "not"];
const LEAF_FIELDS = ["field", "op", "value"];

/**
 * Validates a `where` tree and its limits (clauses CRIT-5 and CRIT-6). An empty `all` or `any` is rejected,
 * because it would match every entry or none.
 *
 * @throws {MemoryError} `schema_violation` with the path, or `too_large`.
 */
export function checkWhere(where: unknown): Filter {
  let nodes = 0;
  const visit = (node: unknown, path: string, depth: number): void => {
    if (++nodes > LIMITS.whereNodes) throwOverLimit("whereNodes", LIMITS.whereNodes, nodes);
    if (depth > LIMITS.whereDepth) throwOverLimit("whereDepth", LIMITS.whereDepth, depth);
    if (!isJsonObject(node)) return throwViolation(path, "must be an object");
    const branch = getBranch(node, path);
    if (branch === undefined) return checkLeaf(node, path);
    if (branch === "not") return visit(node.not, `${path}.not`, depth + 1);
    const children = node[branch];
    if (!Array.isArray(children)) return throwViolation(`${path}.${branch}`, "must be a list");
    if (children.length === 0) throwViolation(`${path}.${branch}`, "must not be empty");
    for (const [index, child] of children.entries()) visit(child, `${path}.${branch}[${index}]`, depth + 1);
  };
  visit(where, "where", 1);
  return where as Filter;
}

function throwViolation(path: string, why: string): never {
  throw new MemoryError("schema_violation", `${path} ${why}`, { path });
}

/** Returns the branch operator of a node (`all`, `any` or `not`), or undefined for a leaf. */
function getBranch(node: Record<string, Json>, path: string): "all" | "any" | "not" | undefined {
  const names = Object.keys(node);
  const unknown = names.find((name) => !BRANCHES.includes(name) && !LEAF_FIELDS.includes(name));
  if (unknown !== undefined) {
    const near = didYouMean(unknown, [...BRANCHES, ...LEAF_FIELDS]);
    throwViolation(`${path}.${truncateName(unknown)}`, `is an unknown field${near}`);
  }
  const branch = names.find((name) => BRANCHES.includes(name));
  if (names.length === 0 || (branch !== undefined && names.length > 1)) {
    throwViolation(path, "must be one of {all}, {any}, {not}, {field, op, value}");
  }
  return branch as "all" | "any" | "not" | undefined;
}

function checkLeaf(node: Record<string, Json>, path: string): void {
  const { field, op, value } = node;
  if (typeof field !== "string" || !FIELD.test(field)) {
    const known = [...FIXED_FIELDS, ...["metadata.", "key."].map((open) => open + lastPart(field))];
    const near = didYouMean(String(field), known);
    throwViolation(
      `${path}.field`,
      `must be one of ${FIXED_FIELDS.join(", ")}, metadata.<name>, key.<name>${near}`,
    );
  }
  if (!FILTER_OPERATORS.includes(op as FilterOperator)) {
    throwViolation(`${path}.op`, `must be one of ${FILTER_OPERATORS.join(", ")}`);
  }
  checkValue(op as FilterOperator, value, `${path}.value`);
}

function lastPart(field: Json | undefined): string {
  return truncateName(String(field).replace(/^[^.]*\./, ""));
}

function checkValue(op: FilterOperator, value: Json | undefined, path: string): void {
  if (op === "exists") {
    if (typeof value !== "boolean") throwViolation(path, "must be true or false");
  } else if (op === "in" || op === "nin") {
    if (!Array.isArray(value)) throwViolation(path, "must be a list");
    if (value.length > LIMITS.listElements) throwOverLimit("listElements", LIMITS.listElements, value.length);
    for (const [index, element] of value.entries()) checkScalar(element, `${path}[${index}]`);
  } else checkScalar(value, path);
}

function checkScalar(value: Json | undefined, path: string): void {
  if (!["string", "number", "boolean"].includes(typeof value))
    throwViolation(path, "must be a string, number or boolean");
  if (typeof value === "string" && value.length > LIMITS.stringLength) {
    throwOverLimit("stringLength", LIMITS.stringLength, value.length);
  }
}
