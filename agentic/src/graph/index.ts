export type { AddedTriple } from "./add-triples.js";
export type { EntitiesAndRelations, Entity, Relation, WholeGraph } from "./entity.js";
export { entityEntry, isGraphKey, relationEntry } from "./entity-entry.js";
export {
  type AddObservationsResult,
  type CreateCall,
  type DeleteResult,
  EntityGraph,
  type ObservationReference,
  type ObservationsInput,
  type ObserveCall,
} from "./entity-graph.js";
export type { OnRefused } from "./entity-store.js";
export { entityTools } from "./entity-tools.js";
export type { ExtractOptions, ExtractResult } from "./extract-triples.js";
export type { GraphPath, PathsResult } from "./find-paths.js";
export { type GraphFile, type GraphFileLine, parseGraphFile } from "./graph-file.js";
export type {
  EntityGraphOptions,
  GraphOptions,
  NeighboursOptions,
  PathsOptions,
  QueryOptions,
  SearchOptions,
} from "./graph-options.js";
export { graphTools } from "./graph-tools.js";
export {
  KnowledgeGraph,
  type Neighbour,
  type NeighboursResult,
  type QueryResult,
  type RemoveResult,
} from "./knowledge-graph.js";
export type { MergeResult } from "./merge-nodes.js";
export type { FoundTriple, TripleSearchResult } from "./search-triples.js";
export type { Triple, TripleInput, TripleKey } from "./triple.js";
export type { Direction, TriplePattern } from "./triple-pattern.js";
export type { GraphCall } from "./triple-store.js";
