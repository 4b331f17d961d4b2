export { type ErasureParts, erasure } from "./erasure.js";
export { forget } from "./forget.js";
export { ForgetOrder } from "./forget-order.js";
export { list } from "./list.js";
export { retrieve } from "./retrieve/retrieve.js";
export { status } from "./status.js";
export { store } from "./store/store.js";
export { forgetResult, storeResult } from "./store/store-record.js";
export type { RetrieveParts, StoreParts } from "./tier.js";
