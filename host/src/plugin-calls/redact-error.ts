import { isMemoryError, MemoryError } from "@membus/protocol";

/**
 * Matches absolute paths and file URLs. In quotes the match extends to the closing quote, because a name may
 * contain spaces.
 */
const QUOTED_PATH = /(['"`])(?:file:\/\/|\/|[A-Za-z]:[\\/]|\\\\)(?:(?!\1).)*\1/g;
const PATH = /(?<![\w./\\:~-])(?:file:\/\/|~?\/(?=[^\s/])|[A-Za-z]:[\\/]|\\\\)[^\s'"`,;)]+/g;
const REPLACEMENT = "<path>";

/**
 * Removes local paths from a plugin's error. Returns the same error if it has none, otherwise a new one with
 * the original as `cause`.
 */
export function redactError(error: MemoryError): MemoryError {
  const message = removePaths(error.message);
  const detail = Object.entries(error.detail).map(
    ([name, value]) => [name, typeof value === "string" ? removePaths(value) : value] as const,
  );
  const isSame = message === error.message && detail.every(([name, value]) => error.detail[name] === value);
  return isSame ? error : new MemoryError(error.code, message, Object.fromEntries(detail), { cause: error });
}

function removePaths(text: string): string {
  return text.replace(QUOTED_PATH, REPLACEMENT).replace(PATH, REPLACEMENT);
}

/** Redacts the errors in a plugin's result: errors of entries, and `degraded`. */
export function redactErrors<T>(result: T, redact: (error: MemoryError) => MemoryError): T {
  // The plugin does not know the operation.
  if (result === undefined) return result;
  const { errors, degraded } = result as { errors?: readonly { error: unknown }[]; degraded?: unknown };
  if (isMemoryError(degraded)) return { ...result, degraded: redact(degraded) };
  if (!errors?.length) return result;
  const redacted = errors.map((entry) =>
    isMemoryError(entry.error) ? { ...entry, error: redact(entry.error) } : entry,
  );
  return { ...result, errors: redacted };
}
