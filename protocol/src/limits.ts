/** Every bound of the protocol (01-envelope, "Limits"). Passing one is `too_large` with {limit, max, got}. */
export const LIMITS = Object.freeze({
  /** One entry, as JSON. */
  entryBytes: 256 * 1024,
  /** One message as received in process; over NATS the server's max_payload is lower. */
  messageBytes: 64 * 1024 * 1024,
  /** Nesting of objects and lists in a message. */
  depth: 64,
  /** Fields of one object. */
  objectFields: 1_024,
  /** One string outside `content` and `text`, in UTF-16 units. */
  stringLength: 4_096,
  /** `query`, in UTF-16 units. */
  queryLength: 8_192,
  /** A key as canonical JSON. */
  keyBytes: 4_096,
  /** Entries of one store. */
  storeEntries: 1_000,
  /** `keys` of a retrieve or forget, and its default page when keys are given. */
  criteriaKeys: 1_000,
  /** Entries of one page. */
  retrieveLimit: 1_000,
  tags: 256,
  tagLength: 256,
  metadataFields: 256,
  /** Elements of a list in `metadata`, and of `in` and `nin`. */
  listElements: 1_024,
  whereNodes: 64,
  whereDepth: 8,
  embeddingDimensions: 4_096,
  namespaceSegments: 8,
  namespaceSegmentLength: 64,
  /** Partitions that one subtree read may touch. */
  subtreePartitions: 256,
  idLength: 128,
  cursorLength: 4_096,
  /** Derived text, in UTF-16 units. */
  derivedTextLength: 8 * 1024,
  deadlineMs: 600_000,
});

export const DEFAULTS = Object.freeze({
  deadlineMs: 5_000,
  namespace: "default",
  limit: 10,
});
