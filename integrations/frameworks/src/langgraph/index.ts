export { MembusSaver } from "./checkpoints/saver.js";
export { SAVER_DEFAULTS, type SaverOptions } from "./checkpoints/saver-options.js";
export { MembusStore } from "./store/store.js";
export { STORE_DEFAULTS, type StoreOptions } from "./store/store-options.js";
