export { MembusSaver } from "./checkpoints/saver.js";
export { SAVER_DEFAULTS, type SaverOptions } from "./checkpoints/saver-options.js";
