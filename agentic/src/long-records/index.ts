export { LongRecords, type StoredRecords } from "./long-records.js";
