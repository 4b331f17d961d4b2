import { option } from "@membus/protocol";

/** Seconds until an entry expires, at most 100 years. */
export const TtlSchema = option.integer(1, 3_155_760_000);
