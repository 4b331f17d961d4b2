export { Discovery, HOST_VERSION, type HostState, QUEUE_GROUP, serviceMetadata } from "./discovery.js";
export { HostWatch, requireOnlyHost } from "./host-conflict.js";
