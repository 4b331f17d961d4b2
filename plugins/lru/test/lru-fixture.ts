import { testServices } from "../../kit/test/kit-fixture.js";
import { TestClock } from "../../kit/test/test-clock.js";
import { createLruPlugin, type LruOptions } from "../src/index.js";
import type { Quotas } from "../src/quotas.js";

/** Opens a working tier and records its changes and statistics. */
export async function openLru(options: LruOptions = {}, quotas?: Quotas) {
  const clock = new TestClock();
  const plugin = createLruPlugin(options, undefined, quotas);
  const { services, changes } = testServices({ tier: "working" }, clock);
  await plugin.open!(services);
  return { plugin, clock, changes };
}
