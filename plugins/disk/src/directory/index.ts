export { type DirectoryLock, directoryHolder, lockDirectory } from "./directory-lock.js";
export { createDirectory, isMissingFile, readText, replaceFile, syncDirectory } from "./durable-files.js";
export { linkFile, linkTree } from "./link-tree.js";
export { answers, withSocketAddress } from "./lock-socket.js";
