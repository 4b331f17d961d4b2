export type { Block } from "./block.js";
export { BlockError, type BlockErrorCode } from "./block-error.js";
export type { BlockCall, BlocksOptions } from "./block-store.js";
export { blockTools, coreMemoryTools } from "./block-tools.js";
export { blockLength } from "./block-value.js";
export { type BlockSettings, Blocks, type NewBlock } from "./blocks.js";
export type { EditOptions } from "./edit-block.js";
