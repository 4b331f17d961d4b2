export { type ClusterStatus, type HostStatus, readStatus, type ShardStatus } from "./read-status.js";
