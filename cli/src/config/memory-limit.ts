import { totalmem } from "node:os";
import { getHeapStatistics, setFlagsFromString } from "node:v8";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: MIB, GiB: GIB };

export const MEMORY_LIMIT = /^(\d+(?:\.\d+)?) ?(B|KiB|MiB|GiB)$/;

/** What a host takes at least, and where its bounds would be too low to serve anybody. */
const MEMORY_LIMIT_MIN = 512 * MIB;
/** Without a container, at most. */
const DEFAULT_MAX = 16 * GIB;

/** What bounds the memory of a process. Bytes. */
export interface MemoryLimit {
  /** RSS. */
  readonly limitBytes: number;
  /** Of V8's heap: no flag changes it once the process runs. */
  readonly heapBytes: number;
}

/**
 * The settings' limit; else the container's; else three quarters of the machine's memory, 16 GiB at most.
 * @throws {TypeError} for less than a host needs.
 */
export function memoryLimit(given: number | string | undefined): MemoryLimit {
  const limitBytes = given === undefined ? defaultLimit() : sizeOf(given);
  if (limitBytes < MEMORY_LIMIT_MIN) {
    throw new TypeError(`\`memory_limit\` must be 512MiB at least, got ${given ?? `${limitBytes}B`}`);
  }
  return { limitBytes, heapBytes: getHeapStatistics().heap_size_limit };
}

/**
 * Has V8 collect garbage when the heap has grown by a third, where its own limit would let it take more than half of all:
 * it waits for the double otherwise. A flood of namespaces under 768 MiB had 616 MiB of heap for 216 in use, and has 312.
 */
export function keepLittleGarbage({ limitBytes, heapBytes }: MemoryLimit): void {
  if (heapBytes > limitBytes / 2) setFlagsFromString("--heap-growing-percent=33");
}

function sizeOf(given: number | string): number {
  if (typeof given === "number") return given;
  const [, count, unit] = MEMORY_LIMIT.exec(given)!;
  return Math.floor(Number(count) * UNITS[unit!]!);
}

function defaultLimit(): number {
  const total = totalmem();
  // More than there is: no limit is set.
  const container = process.constrainedMemory();
  if (container > 0 && container < total) return Math.max(container, MEMORY_LIMIT_MIN);
  return Math.max(MEMORY_LIMIT_MIN, Math.min(DEFAULT_MAX, Math.floor(0.75 * total)));
}
