export { MembusSaver } from "./checkpoints/saver.js";
export type { SaverOptions } from "./checkpoints/saver-options.js";
export { MembusStore } from "./store/store.js";
export type { StoreOptions } from "./store/store-options.js";
