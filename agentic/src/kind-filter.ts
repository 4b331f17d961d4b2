import type { Filter } from "@membus/protocol";

/** Records, and entries of kinds of our own, of one of these kinds. */
export function kindIs(...kinds: readonly string[]): Filter {
  return { field: "metadata.kind", op: "in", value: [...kinds] };
}
