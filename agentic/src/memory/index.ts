export {
  type ForgetUserOptions,
  type ForgetUserReceipt,
  forgetUser,
  type RemainingData,
} from "./forget-user.js";
export { type AddedToMemory, Memory, type MemoryDependencies, type MemoryInput } from "./memory.js";
export {
  type AddToMemoryOptions,
  type HistoryOptions,
  type MemoryOptions,
  MemoryOptionsSchema,
  type SearchMemoryOptions,
} from "./memory-options.js";
export { type RenameUserReceipt, renameUser } from "./rename-user.js";
export { lowerCaseNodes, type UserNames, usersAmong } from "./user-data.js";
export { listUserEntries } from "./user-entries.js";
