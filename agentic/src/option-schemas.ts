import { LIMITS, option } from "@membus/protocol";
import { TrustSchema } from "@membus/protocol/records";

/** Id of a conversation or message. */
export const IdSchema = option.shortText(LIMITS.idLength);

export const TrustOptionSchema = option.choice(...TrustSchema.options);

const KeyHashSchema = option.value<string>(
  (hash) => typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash),
  "must be a key hash (64 hex digits)",
);

/** A time in Unix seconds. */
export const TimeSchema = option.value<number>(
  (time) => typeof time === "number" && time >= 0 && time <= 1e11,
  (time) => `must be a time in Unix seconds (0..1e11), got ${String(time)}`,
);

/** Key hashes for the `sources` of entries. */
export const SourcesSchema = option.list(KeyHashSchema, 1, LIMITS.sources);
