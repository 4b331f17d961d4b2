/** Entries of the items of `MembusStore`, without LangGraph. */
export { itemInput } from "./store/item-entry.js";
export { STORE_NAMESPACE } from "./store/store-options.js";
