export { Discovery, HOST_VERSION, type HostState, QUEUE_GROUP, serviceMetadata } from "./discovery.js";
export { type HostIdentity, HostWatch, requireOnlyHost } from "./host-conflict.js";
