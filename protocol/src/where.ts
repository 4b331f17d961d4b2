import { z } from "zod";
import { FILTER_OPERATORS, type Filter, type FilterOperator } from "./filter.js";
import { isJsonObject, type Json } from "./json.js";
import { refuseOverLimit } from "./json-guard.js";
import { LIMITS } from "./limits.js";
import { MemoryError } from "./memory-error.js";
import { didYouMean } from "./nearest-name.js";

const FIXED_FIELDS = [
  "tags",
  "source",
  "author",
  "group",
  "importance",
  "created",
  "updated",
  "occurred_at",
  "expires_at",
];
const OPEN_FIELD = /^(metadata\.[A-Za-z0-9_-]{1,64}|key\..{1,4096})$/su;

const ScalarSchema = z.union([z.string().max(LIMITS.stringLength), z.number(), z.boolean()]);

/** The `where` tree of a request: its shape, for the generated schema and types. */
export const WhereSchema: z.ZodType<Filter> = z
  .lazy(() =>
    z.union([
      z.strictObject({ all: z.array(WhereSchema) }),
      z.strictObject({ any: z.array(WhereSchema) }),
      z.strictObject({ not: WhereSchema }),
      z.strictObject({
        field: z.string(),
        op: z.enum(FILTER_OPERATORS),
        value: z.union([ScalarSchema, z.array(ScalarSchema)]),
      }),
    ]),
  )
  .meta({ id: "Where" }) as z.ZodType<Filter>;

/**
 * Checks a `where` tree and its bounds (clause CRIT-6).
 * @throws {MemoryError} `schema_violation` with the path, or `too_large`.
 */
export function checkWhere(where: unknown): Filter {
  let nodes = 0;
  const visit = (node: unknown, path: string, depth: number): void => {
    if (++nodes > LIMITS.whereNodes) refuseOverLimit("whereNodes", LIMITS.whereNodes, nodes);
    if (depth > LIMITS.whereDepth) refuseOverLimit("whereDepth", LIMITS.whereDepth, depth);
    if (!isJsonObject(node)) return refuse(path, "is no object");
    const names = Object.keys(node);
    if (names.length === 1 && (names[0] === "all" || names[0] === "any")) {
      const children = node[names[0]];
      if (!Array.isArray(children)) return refuse(`${path}.${names[0]}`, "is no list");
      for (const [index, child] of children.entries())
        visit(child, `${path}.${names[0]}[${index}]`, depth + 1);
    } else if (names.length === 1 && names[0] === "not") visit(node.not, `${path}.not`, depth + 1);
    else checkLeaf(node, path);
  };
  visit(where, "where", 1);
  return where as Filter;
}

function refuse(path: string, why: string): never {
  throw new MemoryError("schema_violation", `${path} ${why}`, { path });
}

function checkLeaf(node: Record<string, Json>, path: string): void {
  for (const name of Object.keys(node)) {
    if (!["field", "op", "value"].includes(name)) {
      refuse(
        path,
        `has an unknown field \`${name}\`${didYouMean(name, ["field", "op", "value", "all", "any", "not"])}`,
      );
    }
  }
  const { field, op, value } = node;
  if (typeof field !== "string" || !(FIXED_FIELDS.includes(field) || OPEN_FIELD.test(field))) {
    const near = didYouMean(String(field), FIXED_FIELDS);
    refuse(`${path}.field`, `is none of ${FIXED_FIELDS.join(", ")}, metadata.<name>, key.<name>${near}`);
  }
  if (!FILTER_OPERATORS.includes(op as FilterOperator)) {
    refuse(`${path}.op`, `is none of ${FILTER_OPERATORS.join(", ")}`);
  }
  checkValue(op as FilterOperator, value, `${path}.value`);
}

function checkValue(op: FilterOperator, value: Json | undefined, path: string): void {
  if (op === "exists") {
    if (typeof value !== "boolean") refuse(path, "is not true or false");
  } else if (op === "in" || op === "nin") {
    if (!Array.isArray(value)) refuse(path, "is no list");
    if (value.length > LIMITS.listElements)
      refuseOverLimit("listElements", LIMITS.listElements, value.length);
    for (const [index, element] of value.entries()) checkScalar(element, `${path}[${index}]`);
  } else checkScalar(value, path);
}

function checkScalar(value: Json | undefined, path: string): void {
  if (!["string", "number", "boolean"].includes(typeof value))
    refuse(path, "is no string, number or boolean");
  if (typeof value === "string" && value.length > LIMITS.stringLength) {
    refuseOverLimit("stringLength", LIMITS.stringLength, value.length);
  }
}
