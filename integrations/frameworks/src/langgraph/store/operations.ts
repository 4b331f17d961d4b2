import {
  type GetOperation,
  InvalidNamespaceError,
  type ListNamespacesOperation,
  type Operation,
  type PutOperation,
  type SearchOperation,
  validateNamespace,
} from "@langchain/langgraph-checkpoint";
import { indexError } from "./indexed-text.js";
import { checkFilter } from "./value-filter.js";

/** An operation with its kind. */
export type Known =
  | { readonly kind: "get"; readonly operation: GetOperation }
  | { readonly kind: "put"; readonly operation: PutOperation }
  | { readonly kind: "search"; readonly operation: SearchOperation }
  | { readonly kind: "list"; readonly operation: ListNamespacesOperation };

/**
 * Determines the kind of an operation by its fields.
 * @throws {InvalidNamespaceError} for an invalid namespace
 * @throws {TypeError} for an unknown operation, and for an invalid filter, index or condition.
 */
export function knownOperation(operation: Operation): Known {
  const known = recognised(operation);
  if (known.kind === "search") checkSearch(known.operation);
  else if (known.kind === "list") checkList(known.operation);
  else checkItem(known.operation);
  return known;
}

function recognised(operation: Operation): Known {
  if ("namespacePrefix" in operation) return { kind: "search", operation };
  if ("value" in operation) return { kind: "put", operation };
  if ("namespace" in operation) return { kind: "get", operation };
  if ("matchConditions" in operation || "limit" in operation) return { kind: "list", operation };
  throw new TypeError(`unknown operation with ${Object.keys(operation).join(", ") || "no fields"}`);
}

function checkItem(operation: GetOperation | PutOperation): void {
  validateNamespace(operation.namespace, { allowReservedRoot: true });
  if (typeof operation.key !== "string")
    throw new TypeError(`key must be a string, got ${typeof operation.key}`);
  if (!("value" in operation) || operation.index == null) return;
  const error = indexError(operation.index);
  if (error !== undefined) throw new TypeError(`index ${error}`);
}

function checkSearch({ namespacePrefix, filter }: SearchOperation): void {
  validateNamespace(namespacePrefix, { allowEmpty: true, allowReservedRoot: true });
  if (filter != null) checkFilter(filter);
}

function checkList({ matchConditions = [] }: ListNamespacesOperation): void {
  for (const { matchType, path } of matchConditions) {
    if (matchType !== "prefix" && matchType !== "suffix") {
      throw new TypeError(`matchType must be "prefix" or "suffix", got ${String(matchType)}`);
    }
    if (!path.every((label) => typeof label === "string" && label !== "")) {
      throw new InvalidNamespaceError("Labels of a path must be non-empty strings.");
    }
  }
}
