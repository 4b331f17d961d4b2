export { Events } from "./events.js";
export { ReindexEvents } from "./reindex-events.js";
