export type { AddedTriple } from "./add-triples.js";
export type { EntitiesAndRelations, Entity, Relation } from "./entity.js";
export {
  type AddObservationsResult,
  type DeleteResult,
  type EntityCall,
  EntityGraph,
  type ObservationReference,
  type ObservationsInput,
} from "./entity-graph.js";
export { entityTools } from "./entity-tools.js";
export type { ExtractOptions, ExtractResult } from "./extract-triples.js";
export type { GraphPath, PathsResult } from "./find-paths.js";
export { GRAPH_DEFAULTS, type GraphOptions } from "./graph-options.js";
export { graphTools } from "./graph-tools.js";
export {
  KnowledgeGraph,
  type Neighbour,
  type NeighboursOptions,
  type NeighboursResult,
  type PathsOptions,
  type QueryOptions,
  type QueryResult,
  type RemoveResult,
  type SearchOptions,
} from "./knowledge-graph.js";
export type { MergeResult } from "./merge-nodes.js";
export type { WholeGraph } from "./read-entities.js";
export type { FoundTriple, TripleSearchResult } from "./search-triples.js";
export type { Triple, TripleInput, TripleKey } from "./triple.js";
export type { Direction, TriplePattern } from "./triple-pattern.js";
export type { GraphCall } from "./triple-store.js";
