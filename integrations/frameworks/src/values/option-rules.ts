import { integerOption, type OptionRule, optionalOption } from "@membus/protocol";

/** Checks seconds, at most 100 years. */
export const ttlOption: OptionRule = optionalOption(integerOption(1, 3_155_760_000));
