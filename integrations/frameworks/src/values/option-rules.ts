import { integerOption, isNamespace, type OptionRule } from "@membus/protocol";

/** A namespace that can be written to. */
export function namespaceOption(value: unknown, name: string): void {
  if (typeof value !== "string" || !isNamespace(value)) {
    throw new TypeError(`${name} must be a path of 1..8 segments, got ${String(value)}`);
  }
}

/** What may be absent, else as `rule` has it. */
export function optional(rule: OptionRule): OptionRule {
  return (value, name) => {
    if (value !== undefined) rule(value, name);
  };
}

/** Seconds, of at most a hundred years. */
export const ttlOption: OptionRule = optional(integerOption(1, 3_155_760_000));
