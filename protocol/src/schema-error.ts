import type { z } from "zod";
import { formatPath } from "./json-guard.js";
import { MemoryError } from "./memory-error.js";
import { didYouMean } from "./nearest-name.js";

/** The first problem that a schema found, as the error the protocol gives it (clause ERR-4). */
export function schemaError(error: z.ZodError, knownFields: readonly string[], value: unknown): MemoryError {
  const issue = deepest(error.issues[0]!);
  const path = formatPath(issue.path as (string | number)[]);
  if (issue.code === "unrecognized_keys") {
    const name = issue.keys[0]!;
    const full = path === "" ? name : `${path}.${name}`;
    const message = `unknown field \`${full}\`${didYouMean(name, knownFields)}`;
    return new MemoryError("schema_violation", message, { path: full });
  }
  if (issue.code === "too_big" && (issue.origin === "array" || issue.origin === "string")) {
    const detail = { limit: path, max: Number(issue.maximum), got: lengthAt(value, issue.path), path };
    return new MemoryError("too_large", `${path} has at most ${issue.maximum}, got ${detail.got}`, detail);
  }
  const subject = path === "" ? "message" : path;
  return new MemoryError("schema_violation", `${subject}: ${issue.message}`, { path });
}

/** Of a union's branches, the problem furthest inside is the one that was meant. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors.flatMap((branch) => branch.slice(0, 1)).map(deepest);
  const best = inner.reduce<z.core.$ZodIssue | undefined>((found, candidate) => {
    const better =
      candidate.path.length > (found?.path.length ?? 0) || (!found && candidate.code === "too_big");
    return better ? candidate : found;
  }, undefined);
  return best === undefined ? issue : ({ ...best, path: [...issue.path, ...best.path] } as z.core.$ZodIssue);
}

function lengthAt(value: unknown, path: readonly PropertyKey[]): number {
  const found = path.reduce<unknown>(
    (at, part) => (at as Record<PropertyKey, unknown> | undefined)?.[part],
    value,
  );
  return (found as { length?: number } | undefined)?.length ?? 0;
}
