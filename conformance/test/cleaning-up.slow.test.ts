import { ReferencePlugin, startHost } from "@membus/mutants";
import { expect, it } from "vitest";
import { CHECKS, createHostWorld, runSuite } from "../src/index.js";

/** Areas with checks of several agents, tenants and sessions. */
const AREAS = ["scope", "keys", "cursor", "retry"];

class CountingPlugin extends ReferencePlugin {
  /** Returns the scopes that still contain entries. */
  left(): unknown[] {
    return [...this.partitions.values()].filter(({ rows }) => rows.size > 0).map(({ scope }) => scope);
  }
}

class WithoutSubtree extends CountingPlugin {
  protected override features() {
    return { ...super.features(), subtree: false };
  }
}

it.each([
  ["leaves no entry of a run behind, in any session of any agent", CountingPlugin],
  ["leaves no entry behind if a forget of a subtree is refused", WithoutSubtree],
])("%s", async (_, Plugin) => {
  const plugins = {
    working: new Plugin(),
    episodic: new Plugin(),
    semantic: new Plugin(),
  };
  const { working, episodic, semantic } = plugins;
  const host = await startHost({
    plugins: { working: () => working, episodic: () => episodic, semantic: () => semantic },
  });
  try {
    const checks = CHECKS.filter(({ area }) => AREAS.includes(area));
    const { startHost: _ownHosts, ...implementation } = host.implementation;
    const results = await runSuite(checks, await createHostWorld(implementation), {
      seed: 1,
      checkTimeoutMs: 60_000,
    });
    const passed = results.filter(({ outcome }) => outcome === "pass");
    expect(passed.length).toBeGreaterThan(20);
    expect(Object.values(plugins).flatMap((plugin) => plugin.left())).toEqual([]);
  } finally {
    await host.stop();
  }
});
