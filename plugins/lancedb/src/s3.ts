export { TableBucket } from "./store/s3-bucket.js";
export { type TableBucketOptions, TableBucketOptionsSchema } from "./store/s3-options.js";
export type { S3StoreContext } from "./store/s3-store-parts.js";
export type { TableOwnership, TableRecord, TableRecords } from "./store/table-records.js";
