export { SpaceWatch, type SpaceWatchParts } from "./space-watch.js";
export { type StreamLogServices, streamLog } from "./stream-log.js";
export { type StreamLogOptions, StreamLogOptionsSchema } from "./stream-log-options.js";
