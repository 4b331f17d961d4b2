export {
  type Check,
  hostCheck,
  hostTierCheck,
  memoryCheck,
  type Provision,
  pluginCheck,
  type Route,
} from "./catalogue/check.js";
export { CLAUSES, levelOf } from "./catalogue/clauses.js";
export { CHECKS } from "./checks/index.js";
export { runCommandLine } from "./cli/run-command-line.js";
export type { CommandLineOptions, HostLauncher, HostOfPlugin } from "./cli/through-host.js";
export type { HostContext, MemoryContext, PluginContext } from "./context.js";
export { figureReranker } from "./fixtures/figure-reranker.js";
export { Random } from "./fixtures/random.js";
export { ShiftingClock } from "./fixtures/shifting-clock.js";
export { wordEmbedder } from "./fixtures/word-embedder.js";
export type { HostParts, HostUnderTest, StartedHost } from "./host-route/host-under-test.js";
export { createHostWorld } from "./host-route/host-world.js";
export { replayOnHost } from "./host-route/replay-on-host.js";
export type { PluginUnderTest } from "./plugin-route/plugin-under-test.js";
export { createPluginWorld } from "./plugin-route/plugin-world.js";
export { replayOnPlugin } from "./plugin-route/replay-on-plugin.js";
export { type ReportOptions, runToReport, type SuiteReport } from "./report/suite-report.js";
export { type CaseResult, type CheckOutcome, type CheckResult, isRed } from "./run/outcome.js";
export { type RunOptions, runSuite } from "./run/run-suite.js";
export type { World } from "./world.js";
