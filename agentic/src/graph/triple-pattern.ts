import type { Filter } from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import type { ResolvedGraphOptions } from "./graph-options.js";
import { normaliseNode, normalisePredicate, normaliseText, RESERVED_PREDICATES } from "./triple.js";

/** What triples are asked for: each part absent, one value, or a list of which one must be met (1..1000). */
export interface TriplePattern {
  readonly subject?: string | readonly string[] | undefined;
  readonly predicate?: string | readonly string[] | undefined;
  readonly object?: string | readonly string[] | undefined;
}

/** From which end a triple is read: "out" of a node as its subject, "in" to it as its object. */
export type Direction = "out" | "in" | "both";

export const IS_TRIPLE = kindIs("triple");

const IS_EDGE: Filter = { field: "metadata.predicate", op: "nin", value: [...RESERVED_PREDICATES] };

/** The filter for a pattern. @throws {TypeError} for an empty list or part, and for a part that is unknown. */
export function patternFilter(
  pattern: TriplePattern,
  naming: Pick<ResolvedGraphOptions, "nodeCase">,
): Filter {
  const { subject, predicate, object, ...unknown } = pattern;
  const [other] = Object.keys(unknown);
  if (other !== undefined) throw new TypeError(`a triple has subject, predicate and object, no \`${other}\``);
  const all = [IS_TRIPLE];
  if (subject !== undefined) all.push(oneOf("subject", subject, (text) => [normaliseNode(text, naming)]));
  if (predicate !== undefined) all.push(oneOf("predicate", predicate, (text) => [normalisePredicate(text)]));
  // An object may be a node or a text that keeps its case.
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

/** Triples that have one of `nodes` (as they are stored) at their ends; of a reserved predicate only as subject. */
export function touching(nodes: readonly string[]): Filter {
  return {
    all: [IS_TRIPLE, { any: [endsAt("subject", nodes), { all: [endsAt("object", nodes), IS_EDGE] }] }],
  };
}

/** Triples along which one walks from `nodes`: of `predicates`, or else of all that are not reserved. */
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
