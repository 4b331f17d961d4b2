// Generated from spec/errors.json by `npm run generate`. Do not edit.

export const ERROR_CATALOGUE = {
  /** The bytes are not well-formed JSON in UTF-8 or MessagePack. */
  parse_error: { header: 400, retryable: false },
  /** The message is not an object, its type is unknown or not the subject's, or the subject names no agent. */
  invalid_message: { header: 400, retryable: false },
  /** The message's major version is not 1. */
  version_mismatch: { header: 400, retryable: false },
  /** A field is missing, unknown, of the wrong type or out of range, or holds a value that one of the encodings cannot carry. */
  schema_violation: { header: 400, retryable: false },
  /** The caller may not use this subject or namespace. */
  unauthorized: { header: 403, retryable: false },
  /** No operation of this id is known to this agent. */
  memory_not_found: { header: 404, retryable: false },
  /** `if_revision` names another revision than the current one, a later entry of the batch has the same key, or the id was used with another body. */
  conflict: { header: 409, retryable: false },
  /** A size, count, length or depth limit is passed. */
  too_large: { header: 413, retryable: false },
  /** A queue of the host is full. */
  overloaded: { header: 429, retryable: true },
  /** The host or a plugin failed unexpectedly; its cause is in the host's log. */
  runtime_error: { header: 500, retryable: false },
  /** The host has no memory left for the request. */
  out_of_memory: { header: 500, retryable: true },
  /** The request demands a feature or a tier that the host does not offer. */
  unsupported: { header: 501, retryable: false },
  /** Nobody listens, or a part of the host is down. */
  unavailable: { header: 503, retryable: true },
  /** The deadline passed. The effect may still have happened. */
  timeout: { header: 504, retryable: true },
  /** A bound of the tier is reached and it does not evict. */
  memory_full: { header: 507, retryable: false },
} as const;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
