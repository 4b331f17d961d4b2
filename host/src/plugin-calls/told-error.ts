import { isMemoryError, MemoryError } from "@membus/protocol";

/** What begins like an absolute path or a file's URL; within quotes to their end, for a name may have spaces. */
const QUOTED_PATH = /(['"`])(?:file:\/\/|\/|[A-Za-z]:[\\/]|\\\\)(?:(?!\1).)*\1/g;
const PATH = /(?<![\w./\\:~-])(?:file:\/\/|~?\/(?=[^\s/])|[A-Za-z]:[\\/]|\\\\)[^\s'"`,;)]+/g;
const INSTEAD = "<path>";

/**
 * A plugin's error as clients may be told: without paths of the host's machine. The same one where it has none, else
 * one with it as `cause`.
 */
export function toldError(error: MemoryError): MemoryError {
  const message = withoutPaths(error.message);
  const detail = Object.entries(error.detail).map(
    ([name, value]) => [name, typeof value === "string" ? withoutPaths(value) : value] as const,
  );
  const isSame = message === error.message && detail.every(([name, value]) => error.detail[name] === value);
  return isSame ? error : new MemoryError(error.code, message, Object.fromEntries(detail), { cause: error });
}

function withoutPaths(text: string): string {
  return text.replace(QUOTED_PATH, INSTEAD).replace(PATH, INSTEAD);
}

/** A plugin's result with the errors that it tells of its entries, or of what it left out, as clients may be told. */
export function toldResult<T>(result: T, tell: (error: MemoryError) => MemoryError): T {
  // An operation that is not known.
  if (result === undefined) return result;
  const { errors, degraded } = result as { errors?: readonly { error: unknown }[]; degraded?: unknown };
  if (isMemoryError(degraded)) return { ...result, degraded: tell(degraded) };
  if (!errors?.length) return result;
  const told = errors.map((entry) =>
    isMemoryError(entry.error) ? { ...entry, error: tell(entry.error) } : entry,
  );
  return { ...result, errors: told };
}
