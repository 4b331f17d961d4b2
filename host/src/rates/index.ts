export { type RateCause, RateMeter, type Sender } from "./rate-meter.js";
export { type RateQuota, type RateQuotas, RateQuotasSchema } from "./rate-quotas.js";
export { TokenBucket } from "./token-bucket.js";
