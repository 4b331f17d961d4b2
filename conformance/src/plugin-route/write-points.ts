import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

type Call = (this: unknown, ...args: unknown[]) => unknown;
type Calls = Record<string, Call>;

/**
 * Called before each file change and halfway through a write. The files then have the state that a crash
 * leaves.
 */
export type AtWritePoint = (isHalfway?: boolean) => void;

const WHOLE = ["rename", "unlink", "rm", "rmdir", "truncate", "ftruncate", "copyFile", "cp"];
const OF_HANDLES = ["writev", "truncate"];

/**
 * Calls `reached` before every later file change through node:fs, and halfway through some.
 *
 * Streams and native writes of libraries have no such points.
 */
export function watchWrites(reached: AtWritePoint): void {
  const sync = fs as unknown as Calls;
  const promised = fs.promises as unknown as Calls;
  for (const name of WHOLE) {
    for (const calls of [sync, promised]) before(calls, name, reached);
    before(sync, `${name}Sync`, reached);
  }
  for (const name of ["write", "writev", "writeFile", "appendFile"]) before(sync, name, reached);
  before(sync, "writevSync", reached);
  before(promised, "appendFile", reached);
  inHalves(reached);
  emptied(sync, promised, reached);
  syncBuiltinESMExports();
}

/** Watches file handles of `fs.promises`. The prototype of the first handle is patched for all. */
export async function watchHandles(path: string, reached: AtWritePoint): Promise<void> {
  const handle = await fs.promises.open(path, "r");
  const shared = Object.getPrototypeOf(handle) as Calls;
  await handle.close();
  for (const name of OF_HANDLES) before(shared, name, reached);
  const { write } = shared;
  for (const name of ["writeFile", "appendFile"]) before(shared, name, reached);
  shared.write = async function (...args) {
    const part = halvesOf(args);
    reached();
    if (part === undefined) return write!.apply(this, args);
    await write!.call(this, ...part.first);
    reached(true);
    await write!.call(this, ...part.second);
    return { bytesWritten: part.length, buffer: args[0] };
  };
}

function before(calls: Calls, name: string, reached: AtWritePoint): void {
  const call = calls[name];
  if (call === undefined) return;
  calls[name] = function (...args) {
    reached();
    return call.apply(this, args);
  };
}

/** Splits writes in two, because a crash may leave a part of one write on disk. */
function inHalves(reached: AtWritePoint): void {
  const calls = fs as unknown as Calls;
  const { writeSync, appendFileSync } = calls;
  calls.writeSync = (...args) => {
    const part = halvesOf(args.slice(1));
    reached();
    if (part === undefined) return writeSync!(...args);
    writeSync!(args[0], ...part.first);
    reached(true);
    writeSync!(args[0], ...part.second);
    return part.length;
  };
  calls.appendFileSync = (path, data, ...options) => {
    const bytes = typeof data === "string" ? Buffer.from(data, encodingOf(options[0])) : (data as Uint8Array);
    const middle = bytes.length >> 1;
    reached();
    appendFileSync!(path, bytes.subarray(0, middle), ...options);
    reached(true);
    return appendFileSync!(path, bytes.subarray(middle), ...options);
  };
}

function encodingOf(options: unknown): BufferEncoding {
  const given = typeof options === "string" ? options : (options as { encoding?: string } | null)?.encoding;
  return (given ?? "utf8") as BufferEncoding;
}

interface Halves {
  readonly first: readonly unknown[];
  readonly second: readonly unknown[];
  readonly length: number;
}

/** Returns the arguments of two writes that replace one. Undefined for short data or unusual arguments. */
function halvesOf([data, ...rest]: readonly unknown[]): Halves | undefined {
  if (rest.some((argument) => typeof argument === "object" && argument !== null)) return undefined;
  const isText = typeof data === "string";
  if (!isText && !(data instanceof Uint8Array)) return undefined;
  const bytes = isText ? Buffer.from(data, (rest[1] as BufferEncoding | undefined) ?? "utf8") : data;
  const [offset, given, at] = isText ? [0, undefined, rest[0]] : rest;
  const from = (offset as number | undefined | null) ?? 0;
  const length = (given as number | undefined | null) ?? bytes.length - from;
  if (length < 2) return undefined;
  const middle = length >> 1;
  const position = typeof at === "number" ? at : null;
  const second = position === null ? null : position + middle;
  return {
    first: [bytes, from, middle, position],
    second: [bytes, from + middle, length - middle, second],
    length,
  };
}

/** Adds a write point for a file that is truncated before it is rewritten. */
function emptied(sync: Calls, promised: Calls, reached: AtWritePoint): void {
  const { openSync, writeFileSync } = sync;
  const { open, writeFile } = promised;
  const empties = (flags: unknown) => typeof flags === "string" && flags.startsWith("w");
  const flagOf = (options: unknown) => (options as { flag?: string } | undefined)?.flag ?? "w";
  sync.openSync = (path, flags, ...more) => {
    if (empties(flags)) reached();
    return openSync!(path, flags, ...more);
  };
  sync.writeFileSync = (path, data, options) => {
    reached();
    if (flagOf(options) === "w" && typeof path === "string") writeFileSync!(path, "", options);
    reached();
    return writeFileSync!(path, data, options);
  };
  promised.open = async (path, flags, ...more) => {
    if (empties(flags)) reached();
    return open!(path, flags, ...more);
  };
  promised.writeFile = async (path, data, options) => {
    reached();
    if (flagOf(options) === "w" && typeof path === "string") await writeFile!(path, "", options);
    reached();
    return writeFile!(path, data, options);
  };
}
