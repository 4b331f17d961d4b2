export { MemoryAgentsRequestSchema } from "./agents.js";
export { isMessageId, PingSchema } from "./envelope.js";
export { MemoryForgetRequestSchema } from "./forget.js";
export { type ListItem, type ListOrder, MemoryListRequestSchema } from "./list.js";
export {
  type Include,
  MemoryRetrieveRequestSchema,
  type Order,
  type RetrieveMode,
  type TotalRelation,
} from "./retrieve.js";
export { MemoryStatusRequestSchema } from "./status.js";
export { type Ack, type MemoryStoreRequest, StoreEnvelopeSchema, type StoreReceipt } from "./store.js";
