import { LIMITS, type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

/** Options of both graphs. */
const COMMON = {
  /** Namespace of the graph. Use one per graph, such as `graph/travel`. */
  namespace: option.namespace().default("graph"),
  /** "semantic" for a graph that all agents of the tenant share. */
  tier: option.tier().default("episodic"),
  /** Attempts of a change while other writers change the same entries. */
  attemptsMax: option.integer(1, 1_000).default(20),
};

export const GraphOptionsSchema = optionSet({
  ...COMMON,
  /**
   * "lower" stores nodes in lower case, so `Berlin` and `berlin` are one node. With "keep" they are two,
   * which `merge` can combine.
   */
  nodeCase: option.choice("keep", "lower").default("keep"),
  /** Maximum triples that one call reads. Iterators have no limit. A result that was cut says so. */
  tripleCountMax: option.integer(1, 100_000).default(10_000),
  /** Maximum nodes that one search for paths visits. */
  nodeCountMax: option.integer(1, 100_000).default(10_000),
});

export interface GraphOptions extends OptionsOf<typeof GraphOptionsSchema> {}
export interface ResolvedGraphOptions extends ResolvedOptionsOf<typeof GraphOptionsSchema> {}

export const EntityGraphOptionsSchema = optionSet({
  ...COMMON,
  /**
   * "normalised": names and texts become composed Unicode (NFC) with single spaces, relation types become
   * lower case with `_` for spaces. Empty texts are rejected. "exact": every text is stored as given, also an
   * empty one.
   */
  spelling: option.choice("normalised", "exact").default("normalised"),
  /**
   * "lower" stores normalised names in lower case, so `Berlin` and `berlin` are one entity. Ignored if
   * `spelling` is "exact".
   */
  nodeCase: option.choice("keep", "lower").default("keep"),
  /** Entities, and also relations, that `readGraph` returns at most. A result that was cut has `truncated: true`. */
  itemCountMax: option.integer(1, 1_000_000).default(10_000),
});

export interface EntityGraphOptions extends OptionsOf<typeof EntityGraphOptionsSchema> {}
export interface ResolvedEntityGraphOptions extends ResolvedOptionsOf<typeof EntityGraphOptionsSchema> {}

const LimitSchema = option.integer(1, LIMITS.retrieveLimit);
const PredicatesSchema = option.list(option.value<string>(() => true, "")).optional();
const CALL = { signal: option.signal().optional() };

export const QueryOptionsSchema = optionSet({
  ...CALL,
  /** Maximum triples of one page. */
  limit: LimitSchema.default(100),
  /** Cursor of the previous page. */
  cursor: option.text().optional(),
});

export interface QueryOptions extends OptionsOf<typeof QueryOptionsSchema> {}

export const NeighboursOptionsSchema = optionSet({
  ...CALL,
  /** "out": the node is the subject. "in": the node is the object. */
  direction: option.choice("out", "in", "both").default("both"),
  /** Only these predicates. Absent: all but `entity_type` and `observation`. */
  predicates: PredicatesSchema,
  /** Maximum triples. */
  limit: LimitSchema.default(100),
});

export interface NeighboursOptions extends OptionsOf<typeof NeighboursOptionsSchema> {}

export const PathsOptionsSchema = optionSet({
  ...CALL,
  /** Maximum steps of a path. */
  depthMax: option.integer(1, 10).default(4),
  /** Maximum paths. */
  pathCountMax: option.integer(1, 100).default(10),
  /** Only these predicates. Absent: all but `entity_type` and `observation`. */
  predicates: PredicatesSchema,
});

export interface PathsOptions extends OptionsOf<typeof PathsOptionsSchema> {}

export const SearchOptionsSchema = optionSet({
  ...CALL,
  /** Maximum triples. */
  limit: LimitSchema.default(10),
  /** Minimum score. */
  minScore: option.number(0, 1).default(0),
});

export interface SearchOptions extends OptionsOf<typeof SearchOptionsSchema> {}
