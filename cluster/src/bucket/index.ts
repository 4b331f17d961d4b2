export { type BucketEntry, type BucketOptions, ClusterBucket } from "./cluster-bucket.js";
export { isTemporary, storeError } from "./store-error.js";
