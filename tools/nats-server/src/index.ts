export type { NatsServerBinary } from "./binary.js";
export { ensureNatsServer } from "./ensure.js";
export { findNatsServer } from "./find.js";
export { installNatsServer } from "./install/install.js";
export { INSTALL_METHODS, type InstallMethod } from "./install/install-method.js";
export { MANUAL_INSTALL_STEPS } from "./install/release.js";
export { type LaunchOptions, launchNatsServer, type NatsServer } from "./launch.js";
export { type ClusterNode, launchNatsCluster, type NatsCluster } from "./launch-cluster.js";
export { supervise } from "./server-process.js";
