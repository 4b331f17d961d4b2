import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const V2 = "/sys/fs/cgroup";
const V1 = "/sys/fs/cgroup/memory";

/** File names in the two versions of cgroups. */
const FILES = {
  v2: { limit: "memory.max", swap: "memory.swap.max", events: "memory.events" },
  v1: { limit: "memory.limit_in_bytes", swap: "memory.memsw.limit_in_bytes", events: "memory.oom_control" },
} as const;

/** A cgroup with a memory limit, as created by a container runtime. Requires root. */
export class MemoryContainer {
  readonly #folder: string;
  readonly #files: (typeof FILES)[keyof typeof FILES];

  private constructor(folder: string, version: keyof typeof FILES) {
    this.#folder = folder;
    this.#files = FILES[version];
  }

  /** Returns undefined if this process may not create cgroups. */
  static make(limitBytes: number): MemoryContainer | undefined {
    const version = existsSync(join(V2, "cgroup.controllers")) ? "v2" : "v1";
    const folder = join(version === "v2" ? V2 : V1, `membus-test-${randomUUID()}`);
    try {
      if (version === "v2") writeFileSync(join(V2, "cgroup.subtree_control"), "+memory");
      mkdirSync(folder);
      const container = new MemoryContainer(folder, version);
      writeFileSync(join(folder, container.#files.limit), String(limitBytes));
      const swap = join(folder, container.#files.swap);
      if (existsSync(swap)) writeFileSync(swap, version === "v2" ? "0" : String(limitBytes));
      return container;
    } catch {
      if (existsSync(folder)) rmdirSync(folder);
      return undefined;
    }
  }

  /** Returns a command that runs `command` inside from its start, because V8 sizes its heap at startup. */
  wrap(command: readonly string[]): readonly string[] {
    return ["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', join(this.#folder, "cgroup.procs"), ...command];
  }

  /** Number of processes inside that the kernel has killed because of memory. */
  get kills(): number {
    const events = readFileSync(join(this.#folder, this.#files.events), "utf8");
    return Number(/^oom_kill (\d+)$/m.exec(events)![1]);
  }

  /** Removes the cgroup. It must be empty. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}
