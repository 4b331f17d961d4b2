export { type DirectoryLock, directoryHolder, lockDirectory } from "./directory-lock.js";
export { isDiskFull, withFreedSpace } from "./disk-full.js";
export { DiskReserve, RESERVE_FILE } from "./disk-reserve.js";
export {
  createDirectory,
  isMissingFile,
  noFile,
  readText,
  replaceFile,
  syncDirectory,
} from "./durable-files.js";
export { linkFile, linkTree } from "./link-tree.js";
export { hasListener, withSocketAddress } from "./lock-socket.js";
