import type { Filter } from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import type { ResolvedGraphOptions } from "./graph-options.js";
import { normaliseNode, normalisePredicate, normaliseText, RESERVED_PREDICATES } from "./triple.js";

/** A pattern for triples. Each part is absent, one value, or a list of 1..1000 alternatives. */
export interface TriplePattern {
  readonly subject?: string | readonly string[] | undefined;
  readonly predicate?: string | readonly string[] | undefined;
  readonly object?: string | readonly string[] | undefined;
}

/** Direction of a triple at a node: "out" if the node is its subject, "in" if it is its object. */
export type Direction = "out" | "in" | "both";

export const IS_TRIPLE = kindIs("triple");

const IS_EDGE: Filter = { field: "metadata.predicate", op: "nin", value: [...RESERVED_PREDICATES] };

/**
 * Returns the filter of a pattern. @throws {TypeError} for an empty list or part, and for an unknown part.
 */
export function patternFilter(
  pattern: TriplePattern,
  naming: Pick<ResolvedGraphOptions, "nodeCase">,
): Filter {
  const { subject, predicate, object, ...unknown } = pattern;
  const [other] = Object.keys(unknown);
  if (other !== undefined)
    throw new TypeError(`a triple has subject, predicate and object, not \`${other}\``);
  const all = [IS_TRIPLE];
  if (subject !== undefined) all.push(oneOf("subject", subject, (text) => [normaliseNode(text, naming)]));
  if (predicate !== undefined) all.push(oneOf("predicate", predicate, (text) => [normalisePredicate(text)]));
  // An object is a node, or a text that keeps its case.
  if (object !== undefined) {
    all.push(oneOf("object", object, (text) => [normaliseNode(text, naming), normaliseText(text, "object")]));
  }
  return { all };
}

function oneOf(
  part: "subject" | "predicate" | "object",
  given: string | readonly string[],
  normalise: (text: string) => string[],
): Filter {
  const values = [...new Set((typeof given === "string" ? [given] : given).flatMap(normalise))];
  if (values.length === 0) throw new TypeError(`${part} must not be an empty list`);
  return { field: `metadata.${part}`, op: "in", value: values };
}

/**
 * Selects triples that start or end at one of `nodes`, given as stored. With a reserved predicate only the
 * subject is a node.
 */
export function touching(nodes: readonly string[]): Filter {
  return {
    all: [IS_TRIPLE, { any: [endsAt("subject", nodes), { all: [endsAt("object", nodes), IS_EDGE] }] }],
  };
}

/** Selects the edges at `nodes` with one of `predicates`. Without them, all edges that are not reserved. */
export function edgesAt(
  nodes: readonly string[],
  direction: Direction,
  predicates: readonly string[] | undefined,
): Filter {
  const ends: Filter[] = [];
  if (direction !== "in") ends.push(endsAt("subject", nodes));
  if (direction !== "out") ends.push(endsAt("object", nodes));
  const kind: Filter =
    predicates === undefined ? IS_EDGE : oneOf("predicate", predicates, (text) => [normalisePredicate(text)]);
  return { all: [IS_TRIPLE, kind, { any: ends }] };
}

function endsAt(part: "subject" | "object", nodes: readonly string[]): Filter {
  return { field: `metadata.${part}`, op: "in", value: [...nodes] };
}
