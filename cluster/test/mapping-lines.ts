import { shardMappings } from "../src/index.js";

/** Returns the lines of a server's configuration that send requests to this number of shards. */
export function mappingLines(shardCount: number): string {
  const lines = shardMappings("a2e", shardCount).map(
    ({ from, to }) => `  ${JSON.stringify(from)}: ${JSON.stringify(to)}`,
  );
  return `mappings {\n${lines.join("\n")}\n}\n`;
}
