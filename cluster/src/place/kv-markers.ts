import type { Markers } from "@membus/plugin-kit";
import type { Logger } from "@membus/protocol/plugin";
import type { EpochRecords } from "./epoch-records.js";

/** Returns markers that are records of a shard. Reading one takes it away from earlier epochs. */
export function kvMarkers(records: EpochRecords, keyPrefix: string, logger: Logger): Markers {
  const keyOf = (name: string) => `${keyPrefix}.marker.${Buffer.from(name).toString("base64url")}`;
  return {
    async read<T extends object>(name: string, isValid: (found: Partial<T>) => boolean) {
      const content = await records.claim(keyOf(name), (found) => found?.content ?? null);
      if (content === null) return undefined;
      if (typeof content === "object" && isValid(content)) return content as T;
      logger.warn({ key: keyOf(name) }, "marker is not valid, rebuilding it from the tier");
      return undefined;
    },
    write: (name, value) => records.write(keyOf(name), value),
  };
}
