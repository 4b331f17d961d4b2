import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const V2 = "/sys/fs/cgroup";
const V1 = "/sys/fs/cgroup/memory";

/** What the kernel calls things in the two versions of cgroups. */
const FILES = {
  v2: { limit: "memory.max", swap: "memory.swap.max", events: "memory.events" },
  v1: { limit: "memory.limit_in_bytes", swap: "memory.memsw.limit_in_bytes", events: "memory.oom_control" },
} as const;

/** A cgroup with a limit of memory, as a container runtime makes one; it takes root. */
export class MemoryContainer {
  readonly #folder: string;
  readonly #files: (typeof FILES)[keyof typeof FILES];

  private constructor(folder: string, version: keyof typeof FILES) {
    this.#folder = folder;
    this.#files = FILES[version];
  }

  /** Undefined where this process may make none. */
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

  /** The command that runs `command` inside, from its first instruction on: V8 sizes its heap then. */
  wrap(command: readonly string[]): readonly string[] {
    return ["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', join(this.#folder, "cgroup.procs"), ...command];
  }

  /** How often the kernel has killed somebody inside for want of memory. */
  get kills(): number {
    const events = readFileSync(join(this.#folder, this.#files.events), "utf8");
    return Number(/^oom_kill (\d+)$/m.exec(events)![1]);
  }

  /** Once nobody is inside. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}
