import { isNamespace } from "@membus/protocol";

/** A rule for `resolveOptions`: a namespace that can be written to. */
export function namespaceOption(value: unknown, name: string): void {
  if (typeof value !== "string" || !isNamespace(value)) {
    throw new TypeError(`${name} must be a path of 1..8 segments, got ${String(value)}`);
  }
}
