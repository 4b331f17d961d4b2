export type { ClusterIdentity } from "./cluster-identity.js";
export { createCluster } from "./create-cluster.js";
export {
  type ExpectedCluster,
  type FoundCluster,
  findCluster,
  requireCluster,
  requireTables,
} from "./require-cluster.js";
export { versionRemedy } from "./server-version.js";
