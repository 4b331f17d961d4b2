export { entryUsage } from "./entry-usage.js";
export { type StorageQuota, type StorageQuotaOptions, StorageQuotas } from "./storage-quotas.js";
export type { EntryUsage, TenantUsage } from "./tenant-usage.js";
export { UsageReservation } from "./usage-reservation.js";
export { type ReadUsage, UsageTracker } from "./usage-tracker.js";
