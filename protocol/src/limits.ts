/**
 * Limits of the protocol. The table in 01-envelope, "Limits", is generated from these comments. Exceeding a
 * limit is `too_large` with {limit, max, got} (clause LIMIT-2), unless its comment says otherwise.
 */
export const LIMITS = Object.freeze({
  /** Bytes of one entry of a store, as JSON. */
  entryBytes: 256 * 1024,
  /** Bytes of one message or reply. The `max_payload` of a NATS server is lower (1 MiB by default). */
  messageBytes: 64 * 1024 * 1024,
  /** Levels of objects and lists below the message. */
  depth: 64,
  /** Fields of one object. */
  objectFields: 1_024,
  /** Objects and lists of one request, including the request itself. */
  nestedValues: 100_000,
  /** One string outside of `content`, `text`, `context`, `query` and `cursor`. */
  stringLength: 4_096,
  /** Length of `query`. */
  queryLength: 8_192,
  /** Bytes of a key, and of `match`, as canonical JSON. */
  keyBytes: 4_096,
  /** Number of `entries` of one store. */
  storeEntries: 1_000,
  /** Number of `keys` of one request. */
  criteriaKeys: 1_000,
  /** `limit` of a retrieve. A larger value is `schema_violation`. */
  retrieveLimit: 1_000,
  /** `limit` of a list. A larger value is `schema_violation`. */
  listLimit: 1_000,
  /** Distinct values that one list may find. */
  listValues: 100_000,
  /** `before` and `after` of `expand`. A larger value is `schema_violation`. */
  expandNeighbours: 20,
  /** `limit` x (1 + `before` + `after`): entries of a page with their neighbours. */
  expandedEntries: 5_000,
  /** Entries of one tier that `rerank` scores. Further entries are left out. */
  rerankEntries: 50,
  /** Tags of an entry or a request. */
  tags: 256,
  /** Length of one tag. */
  tagLength: 256,
  /** Fields of `metadata` and of `match`. */
  metadataFields: 256,
  /** Elements of a list in `metadata`, and of the value of `in` and `nin`. */
  listElements: 1_024,
  /** Nodes of a `where` tree. */
  whereNodes: 64,
  /** Levels of a `where` tree. */
  whereDepth: 8,
  /** `sources` of an entry. */
  sources: 64,
  /** Entries of one tier that a forget with `cascade` selects by its criteria. */
  cascadeSelected: 10_000,
  /** Entries of one tier with a source that a forget with `cascade` deletes. */
  cascadeDerived: 10_000,
  /** Levels of derivation that a forget with `cascade` follows. */
  cascadeLevels: 16,
  /** Components of an embedding. */
  embeddingDimensions: 4_096,
  /** Segments of a namespace. More segments are `schema_violation`. */
  namespaceSegments: 8,
  /** Length of one segment of a namespace. A longer segment is `schema_violation`. */
  namespaceSegmentLength: 64,
  /** Partitions of one tier that a read of a subtree may touch. */
  subtreePartitions: 256,
  /** Length of `id` and `session_id`. */
  idLength: 128,
  /** Length of `cursor`. */
  cursorLength: 4_096,
  /** Length of the derived text. Longer text is truncated. */
  derivedTextLength: 64 * 1024,
  /** Length of a `snippet`. A longer one from a plugin is a `runtime_error`. */
  snippetLength: 2_048,
  /** `deadline_ms`. A larger value is `schema_violation`. */
  deadlineMs: 600_000,
});

/** Defaults of absent request fields. */
export const DEFAULTS = Object.freeze({
  deadlineMs: 5_000,
  namespace: "default",
  limit: 10,
  listLimit: 100,
  recencyWeight: 0.5,
});
