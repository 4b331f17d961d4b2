import { integerOption, type OptionRule, optionalOption } from "@membus/protocol";

/** Seconds, of at most a hundred years. */
export const ttlOption: OptionRule = optionalOption(integerOption(1, 3_155_760_000));
