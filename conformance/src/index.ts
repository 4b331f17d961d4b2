export {
  type Check,
  hostCheck,
  hostTierCheck,
  memoryCheck,
  type Provision,
  pluginCheck,
  type Route,
} from "./catalogue/check.js";
export { CHECKS } from "./checks/index.js";
export { runCommandLine } from "./cli/run-command-line.js";
export type { CommandLineOptions, HostLauncher, HostOfPlugin } from "./cli/through-host.js";
export type { HostContext, MemoryContext, PluginContext } from "./context.js";
export type { HostParts, HostUnderTest, StartedHost } from "./host-route/host-under-test.js";
export { createHostWorld } from "./host-route/host-world.js";
export { replayOnHost } from "./host-route/replay-on-host.js";
export type { PluginUnderTest } from "./plugin-route/plugin-under-test.js";
export { createPluginWorld } from "./plugin-route/plugin-world.js";
export { replayOnPlugin } from "./plugin-route/replay-on-plugin.js";
export { type ReportOptions, runToReport, type SuiteReport } from "./report/suite-report.js";
export type { CaseResult, CheckOutcome, CheckResult } from "./run/outcome.js";
export { type RunOptions, runSuite } from "./run/run-suite.js";
export type { World } from "./world.js";
