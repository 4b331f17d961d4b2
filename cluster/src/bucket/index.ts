export { isAbsent } from "./absent-replica.js";
export { type BucketEntry, type BucketOptions, ClusterBucket } from "./cluster-bucket.js";
export { createClusterBucket } from "./create-bucket.js";
export { type AccountSpaceOptions, accountSpace, type StorageSpace } from "./storage-space.js";
export { isFull, isMissingStream, isRefused, isTemporary, storeError } from "./store-error.js";
export { WriteStall, type WriteStallParts } from "./write-stall.js";
