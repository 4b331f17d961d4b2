export type { NatsServerBinary } from "./binary.js";
export { membusCacheDir } from "./cache-dir.js";
export { type EnsureOptions, ensureNatsServer } from "./ensure.js";
export { type FindOptions, findNatsServer } from "./find.js";
export { INSTALL_TIMEOUT_DEFAULTS, type InstallOptions, installNatsServer } from "./install.js";
export { INSTALL_METHODS, type InstallMethod, type InstallTimeouts } from "./install-method.js";
export { type LaunchOptions, type LaunchServices, launchNatsServer, type NatsServer } from "./launch.js";
export { BY_HAND, type NatsServerRelease, PINNED_RELEASE } from "./release.js";
export type { ServerExit } from "./server-process.js";
