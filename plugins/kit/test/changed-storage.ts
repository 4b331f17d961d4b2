import type { Storage } from "../src/index.js";

/** Returns `storage` with some methods replaced. */
export function changedStorage<T extends Storage>(storage: T, methods: Partial<Storage>): T {
  return new Proxy(storage, {
    get(target, name) {
      if (name in methods) return Reflect.get(methods, name);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
