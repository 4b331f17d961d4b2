import { OwnershipOptionsSchema, shardMappings } from "@membus/cluster";
import { option, optionSet, parseOptions } from "@membus/protocol";

const RoutingSchema = optionSet({
  prefix: option.subjectPrefix(),
  shards: OwnershipOptionsSchema.shape.shardCount,
});

/** Returns lines for the configuration of a nats-server. @throws {TypeError} for a value out of range. */
export function serverLines(prefix: string, shardCount: number): string {
  parseOptions(RoutingSchema, { prefix, shards: shardCount });
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
