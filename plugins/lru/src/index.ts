export { LRU_DEFAULTS, type LruOptions, resolveLruOptions } from "./lru-options.js";
export { createLruPlugin } from "./lru-plugin.js";
