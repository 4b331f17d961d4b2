import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

const NOT_PART_OF_IT = new Set(["id", "ts", "deadline_ms", "version"]);

/**
 * What makes a request the same request: a hash over its fields without id, ts, deadline_ms and version
 * (clause RETRY-2), alike in both encodings. `without` leaves out more: a cursor's digest also ignores limit and cursor.
 */
export function requestDigest(
  request: Readonly<Record<string, unknown>>,
  without: readonly string[] = [],
): string {
  const fields = Object.entries(request).filter(
    ([name, value]) => value != null && !NOT_PART_OF_IT.has(name) && !without.includes(name),
  );
  const text = canonicalize(plain(Object.fromEntries(fields)));
  return createHash("sha256")
    .update(text ?? "")
    .digest("base64url")
    .slice(0, 22);
}

/** Vectors as lists: the canonical form knows no binary. Shares everything that holds none. */
function plain(value: unknown): unknown {
  if (value instanceof Float32Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}
