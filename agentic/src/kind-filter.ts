import type { Filter } from "@membus/protocol";

/** Returns a filter for entries of one of these kinds (record kinds, or kinds private to this package). */
export function kindIs(...kinds: readonly string[]): Filter {
  return { field: "metadata.kind", op: "in", value: [...kinds] };
}
