export { checkRouting, type Routing } from "./check-routing.js";
export { mappingLines } from "./mapping-lines.js";
export {
  controlSubject,
  entriesSubject,
  parseShardSubject,
  SHARD_SUBJECTS,
  type SubjectMapping,
  shardMappings,
  shardSubject,
} from "./shard-mappings.js";
export { shardOf } from "./shard-of.js";
export { type RequestListener, subscribeShard } from "./subscribe-shard.js";
