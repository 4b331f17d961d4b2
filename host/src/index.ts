export type { HostDependencies } from "./assembly.js";
export type { AuditRecord, AuditSink } from "./audit.js";
export { createHost, type Host, type HostStats } from "./host.js";
export { LATENCY_BOUNDS_MS, type MetricsSnapshot, type RequestStats } from "./metrics.js";
export { HOST_DEFAULTS, type HostOptions, type ResolvedHostOptions, resolveHostOptions } from "./options.js";
export type { NamespaceRule } from "./runtime.js";
export type { HostState } from "./service-metadata.js";
export { HOST_VERSION } from "./version.js";
