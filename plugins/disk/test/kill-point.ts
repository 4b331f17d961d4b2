import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { watchHandles, watchWrites } from "../../../conformance/src/plugin-route/write-points.js";
import { AFTER_SIGNAL, ARMED } from "./kill-point-environment.js";

// Loaded before a program: kills the process at the file change that the environment names.
const after = process.env.KILL_AFTER!;
const renamedTo = process.env.KILL_RENAMED_TO!;
let left = Number(process.env.KILL_FILE_CHANGE);
let isArmed = after === "";

const { writeSync } = fs;
if (renamedTo === "") {
  watchWrites(countDown);
  await watchHandles(process.execPath, countDown);
}
const watchedWrite = fs.writeSync as (...args: unknown[]) => number;

/** Writes to standard output are not file changes. They arm the countdown. */
fs.writeSync = ((fd: number, data: string, ...rest: unknown[]) => {
  if (fd !== 1) return watchedWrite(fd, data, ...rest);
  const written = writeOutput(data);
  isArmed ||= data.split("\n").includes(after);
  return written;
}) as typeof fs.writeSync;

const { rename } = fs.promises;
if (renamedTo !== "") {
  fs.promises.rename = (from, to) => {
    const isCounted = String(to).endsWith(renamedTo) && fs.existsSync(to);
    if (isCounted && fs.readFileSync(to, "utf8").includes(process.env.KILL_REPLACING!)) countDown();
    return rename(from, to);
  };
}
syncBuiltinESMExports();

if (after === AFTER_SIGNAL) {
  process.on(AFTER_SIGNAL, () => {
    isArmed = true;
    writeSync(2, `${ARMED}\n`);
  });
}

/** Writes to standard output. Waits while the pipe is full, because its reader may be slow. */
function writeOutput(data: string): number {
  for (;;) {
    try {
      return writeSync(1, data);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function countDown(): void {
  if (isArmed && --left === 0) process.kill(process.pid, "SIGKILL");
}
