import { option, optionSet, parseOptions } from "@membus/protocol";
import { shardCountOption } from "../shard-count.js";
import { shardMappings } from "./shard-mappings.js";

const RoutingSchema = optionSet({ prefix: option.subjectPrefix(), shardCount: shardCountOption });

/**
 * Returns lines for the configuration of a nats-server, which send each request to the shard of its tenant.
 * @throws {TypeError} for a value out of range.
 */
export function mappingLines(prefix: string, shardCount: number): string {
  parseOptions(RoutingSchema, { prefix, shardCount });
  const mappings = shardMappings(prefix, shardCount).map(
    ({ from, to }) => `  ${JSON.stringify(from)}: ${JSON.stringify(to)}`,
  );
  return [
    "# Requests of each tenant go to the owner of its shard. With accounts, this block belongs to the hosts' account.",
    "mappings {",
    ...mappings,
    "}",
  ].join("\n");
}
