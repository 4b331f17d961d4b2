import { integerOption, type OptionRule } from "@membus/protocol";

/** What may be absent, else as `rule` has it. */
export function optional(rule: OptionRule): OptionRule {
  return (value, name) => {
    if (value !== undefined) rule(value, name);
  };
}

/** Seconds, of at most a hundred years. */
export const ttlOption: OptionRule = optional(integerOption(1, 3_155_760_000));
