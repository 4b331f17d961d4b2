export { Claims } from "./claims.js";
export { HeldBook, type HeldQuota, type HeldQuotas } from "./held-quotas.js";
export { holdingOf } from "./holding-of.js";
export { Holdings, type ReadHoldings } from "./holdings.js";
export type { Holding, TenantHoldings } from "./tenant-holdings.js";
