import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { watchHandles, watchWrites } from "../../../conformance/src/plugin-route/write-points.js";

// Loaded before a script: kills the process at the file change that `runUntilKilled` names.
const after = process.env.KILL_AFTER!;
let left = Number(process.env.KILL_FILE_CHANGE);
let isArmed = false;

const { writeSync } = fs;
watchWrites(countDown);
await watchHandles(process.execPath, countDown);
const watchedWrite = fs.writeSync as (...args: unknown[]) => number;

/** Writes to standard output are not file changes. They arm the countdown. */
fs.writeSync = ((fd: number, data: string, ...rest: unknown[]) => {
  if (fd !== 1) return watchedWrite(fd, data, ...rest);
  const written = writeSync(fd, data);
  isArmed ||= data.split("\n").includes(after);
  return written;
}) as typeof fs.writeSync;
syncBuiltinESMExports();

function countDown(): void {
  if (isArmed && --left === 0) process.kill(process.pid, "SIGKILL");
}
