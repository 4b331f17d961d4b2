import type { HostParts } from "@membus/conformance";
import type { MemoryPlugin } from "@membus/protocol/plugin";

/** Wraps the plugins that a check gave the host. `change` returns the replaced methods. */
export function betweenPlugins(change: (inner: MemoryPlugin) => Partial<MemoryPlugin>) {
  return (parts: HostParts): HostParts => {
    const given = Object.entries(parts.plugins ?? {});
    const plugins = given.map(([tier, inner]) => [tier, { ...passing(inner), ...change(inner) }]);
    return parts.plugins === undefined ? parts : { ...parts, plugins: Object.fromEntries(plugins) };
  };
}

function passing(inner: MemoryPlugin): MemoryPlugin {
  return {
    manifest: inner.manifest,
    open: async (services) => inner.open?.(services),
    onStore: (scope, request) => inner.onStore(scope, request),
    onRetrieve: (selector, request) => inner.onRetrieve(selector, request),
    onForget: (selector, request) => inner.onForget(selector, request),
    onStatus: (op) => inner.onStatus(op),
    ...(inner.onErasure && { onErasure: (op) => inner.onErasure!(op) }),
    ...(inner.onList && { onList: (selector, request) => inner.onList!(selector, request) }),
    ...(inner.onAgents && { onAgents: (request) => inner.onAgents!(request) }),
    maintain: async () => inner.maintain?.(),
    stats: () => inner.stats?.() ?? {},
    close: async () => inner.close?.(),
  };
}

/** Replaces the errors that a plugin throws. */
export function rethrowing(change: (error: unknown) => unknown) {
  const passOn = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await call;
    } catch (error) {
      const changed = change(error);
      if (changed instanceof Error) throw changed;
      throw error;
    }
  };
  return betweenPlugins((inner) => ({
    onStore: (scope, request) => passOn(inner.onStore(scope, request)),
    onRetrieve: (selector, request) => passOn(inner.onRetrieve(selector, request)),
    onForget: (selector, request) => passOn(inner.onForget(selector, request)),
    onStatus: (op) => passOn(inner.onStatus(op)),
  }));
}
