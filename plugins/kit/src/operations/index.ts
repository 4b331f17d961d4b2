export { agents } from "./agents.js";
export {
  countMissingRows,
  type RowPage,
  type RowPageRequest,
  readRows,
  type WrittenRows,
  writeRows,
} from "./copy-rows.js";
export { type ErasedCounts, removeOwned } from "./erase-owner.js";
export { type ErasureParts, erasure } from "./erasure.js";
export { forget } from "./forget.js";
export { ForgetOrder } from "./forget-order.js";
export { list } from "./list.js";
export { type EarlierAttempt, recall } from "./recall.js";
export { retrieve } from "./retrieve/retrieve.js";
export { status } from "./status.js";
export { store } from "./store/store.js";
export { forgetResult, storeResult } from "./store/store-record.js";
export type { RetrieveParts, StoreParts } from "./tier.js";
