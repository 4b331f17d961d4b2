import type { Storage } from "../src/index.js";

type Method =
  | "load"
  | "readBodies"
  | "append"
  | "remove"
  | "removeFrom"
  | "sync"
  | "maintain"
  | "expiredScopes";

export interface Fault {
  readonly method: Method;
  /** Whether the call fails after its effect. */
  readonly after: boolean;
}

/** Returns `storage` with failing calls: the first call of a method takes the first fault of that method. */
export function faultyStorage<T extends Storage>(storage: T, faults: Fault[]): T {
  return new Proxy(storage, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== "function") return member;
      return async (...args: unknown[]): Promise<unknown> => {
        const at = faults.findIndex(({ method }) => method === name);
        const [fault] = at < 0 ? [] : faults.splice(at, 1);
        if (fault?.after === false) throw new Error(`${fault.method} failed`);
        const result: unknown = await Reflect.apply(member, target, args);
        if (fault !== undefined) throw new Error(`${fault.method} failed after its effect`);
        return result;
      };
    },
  });
}
