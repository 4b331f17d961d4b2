export { LongRecords } from "./long-records.js";
