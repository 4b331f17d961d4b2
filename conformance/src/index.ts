export {
  type Check,
  hostCheck,
  hostTierCheck,
  memoryCheck,
  type Provision,
  pluginCheck,
  type Route,
} from "./check.js";
export { CHECKS } from "./checks/index.js";
export { rerunCommand } from "./cli/rerun-command.js";
export { runAndReport } from "./cli/run-and-report.js";
export { addRunOptions, type RunFlags, type RunSettings, resolveRunSettings } from "./cli/run-options.js";
export type { HostContext, MemoryContext, PluginContext } from "./context.js";
export type { HostSubject } from "./host-route/host-subject.js";
export { createHostWorld } from "./host-route/host-world.js";
export { replayOnHost } from "./host-route/replay-on-host.js";
export type { PluginSubject } from "./plugin-route/plugin-subject.js";
export { createPluginWorld } from "./plugin-route/plugin-world.js";
export { replayOnPlugin } from "./plugin-route/replay-on-plugin.js";
export type { CaseResult, CheckOutcome, CheckResult } from "./run/outcome.js";
export { type RunOptions, runSuite } from "./run/run-suite.js";
export { type ReportOptions, runToReport, type SuiteReport } from "./suite-report.js";
export type { World } from "./world.js";
