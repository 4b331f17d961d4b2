import { option } from "@membus/protocol";

/** Seconds until an entry expires, at most 100 years. */
export const TtlSchema = option.integer(1, 3_155_760_000);

export function idSchema(lengthMax: number) {
  return option.value<string>(
    (id) => typeof id === "string" && id !== "" && id.length <= lengthMax,
    (id) => `must be 1..${lengthMax} characters, got ${String(id)}`,
  );
}
