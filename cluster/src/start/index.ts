export { type ClusterIdentity, writeIdentity } from "./cluster-identity.js";
export { type ExpectedCluster, requireCluster } from "./require-cluster.js";
