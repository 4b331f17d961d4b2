// Generated from spec/errors.json by `npm run generate`. Do not edit.

export const ERROR_CATALOGUE = {
  /** The bytes are not well-formed JSON in UTF-8 or MessagePack. */
  parse_error: { header: 400, retryable: false },
  /** The message is not an object, its type is unknown or differs from the subject, or the subject contains no agent. */
  invalid_message: { header: 400, retryable: false },
  /** The message's major version is not 1. */
  version_mismatch: { header: 400, retryable: false },
  /** A field is missing, unknown, of the wrong type or out of range, or contains a value that one of the encodings cannot carry. */
  schema_violation: { header: 400, retryable: false },
  /** The caller may not use this subject or namespace. */
  unauthorized: { header: 403, retryable: false },
  /** The agent has no operation with this id. */
  memory_not_found: { header: 404, retryable: false },
  /** `if_revision` is not the current revision, a later entry of the batch has the same key, or the id was used with another body. */
  conflict: { header: 409, retryable: false },
  /** A size, count, length or depth limit is exceeded. */
  too_large: { header: 413, retryable: false },
  /** A queue of the host is full. */
  overloaded: { header: 429, retryable: true },
  /** The host or a plugin failed unexpectedly. The host's log contains the cause. */
  runtime_error: { header: 500, retryable: false },
  /** The host does not have enough memory for the request. */
  out_of_memory: { header: 500, retryable: true },
  /** The request requires a feature or a tier that the host does not support. */
  unsupported: { header: 501, retryable: false },
  /** No host is running, or a part of the host is down. */
  unavailable: { header: 503, retryable: true },
  /** The deadline passed. The effect may still have happened. */
  timeout: { header: 504, retryable: true },
  /** A limit of the tier is reached and the tier does not evict. */
  memory_full: { header: 507, retryable: false },
} as const;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
