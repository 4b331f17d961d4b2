import { shardMappings } from "@membus/cluster";

/** Returns lines for the configuration of a nats-server. */
export function serverLines(prefix: string, shardCount: number): string {
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
