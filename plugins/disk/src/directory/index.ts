export { type DirectoryLock, directoryHolder, lockDirectory } from "./directory-lock.js";
export { isDiskFull, withRoom } from "./disk-full.js";
export { DiskReserve } from "./disk-reserve.js";
export { createDirectory, isMissingFile, readText, replaceFile, syncDirectory } from "./durable-files.js";
export { linkFile, linkTree } from "./link-tree.js";
export { answers, withSocketAddress } from "./lock-socket.js";
