export type { AccessRule, Action } from "./access-rules-schema.js";
export type { HostDependencies } from "./assembly.js";
export { HOST_VERSION, type HostState } from "./discovery/index.js";
export { createHost, type Host, type HostStats } from "./host.js";
export { LATENCY_BOUNDS_MS, type MetricsSnapshot, type RequestStats } from "./metrics.js";
export type { NamespaceRule } from "./operations/index.js";
export { HOST_DEFAULTS, type HostOptions, HostOptionsSchema, type ResolvedHostOptions } from "./options.js";
export type { RateQuota, RateQuotas } from "./rates/index.js";
export {
  type AuditRecord,
  type AuditSink,
  auditHash,
  type DropRecord,
  type RemovalRecord,
} from "./replies/index.js";
