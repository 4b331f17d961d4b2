export { LRU_DEFAULTS, type LruOptions, LruOptionsSchema } from "./lru-options.js";
export { createLruPlugin } from "./lru-plugin.js";
