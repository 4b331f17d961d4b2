import { MemoryError, systemClock, withTimeout } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext, OwnHostParts } from "../../context.js";
import { Gate } from "../../fixtures/gate.js";
import { pending } from "../../fixtures/pending.js";
import { ScriptedPlugin } from "../../host-route/scripted-plugin.js";

/** Time for a faulty host to stop without waiting for its plugins. */
const STOP_WAIT_MS = 250;
/** Longer than one maintenance interval of any host. */
const AN_HOUR = 3_600;

const pluginLifeChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/plugin-is-opened-first-and-closed-last",
    clauses: ["PLUG-5"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const [plugin, gate] = [new ScriptedPlugin(), new Gate()];
      const own = await t.startHost({ plugins: { working: plugin } });
      expect.equal(
        plugin.log.slice(0, 2),
        ["open", "open settled"],
        "calls of a plugin until its host has started",
      );
      await own.caller.store(own.entry());
      plugin.script = { onRetrieve: (usual) => gate.pass().then(usual) };
      const late = own.caller.retrieve();
      expect.equal(await gate.arrivals(1), 1, "calls of `onRetrieve` for a retrieve");
      const stopped = pending(own.stop().then(() => "stopped"));
      const early = await withTimeout(systemClock, STOP_WAIT_MS, stopped);
      const closedEarly = plugin.log.includes("close");
      gate.open();
      expect.equal(early, undefined, "a host that is stopped before a plugin has returned");
      expect.equal(closedEarly, false, "whether `close` was called before the last call had settled");
      expect.equal((await late).total, 1, "total of the pending retrieve when its host was stopped");
      await stopped;
      const ends = plugin.log.filter((call) => /^(open|close)$/.test(call));
      expect.equal(
        ends,
        ["open", "close"],
        "calls of `open` and `close` of a plugin after its host has stopped",
      );
      expect.equal(
        plugin.log.slice(-2),
        ["close", "close settled"],
        "last call of a plugin after its host has stopped",
      );
    },
  }),
  hostCheck({
    id: "host-plugins/plugin-that-fails-to-open-stops-the-start",
    clauses: ["PLUG-5"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const [sound, broken] = [new ScriptedPlugin(), new ScriptedPlugin()];
      broken.script = {
        async open() {
          throw new MemoryError("unavailable", "the disk is unavailable");
        },
      };
      const outcome = await outcomeOf(t, { plugins: { working: sound, episodic: broken } });
      expect.equal(outcome, "refused", "starting a host with a plugin that throws from `open`");
      const calls = (plugin: ScriptedPlugin) => plugin.log.filter((call) => !call.endsWith("settled"));
      expect.equal(calls(sound), ["open", "close"], "calls of the other plugin of that host");
      expect.equal(calls(broken), ["open"], "calls of the plugin that throws from `open`");
    },
  }),
  hostCheck({
    id: "host-plugins/maintain-is-never-called-twice-at-a-time",
    clauses: ["PLUG-5"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const [plugin, gate] = [new ScriptedPlugin(), new Gate()];
      plugin.script = { maintain: () => gate.pass() };
      const own = await t.startHost({ plugins: { working: plugin } });
      await own.passTime(AN_HOUR);
      expect.equal(await gate.arrivals(1), 1, "calls of `maintain` within an hour, all pending");
      for (let hour = 0; hour < 3; hour++) {
        await own.passTime(AN_HOUR);
        await own.caller.retrieve();
      }
      const during = plugin.log.filter((call) => call === "maintain").length;
      gate.open();
      expect.equal(during, 1, "calls of `maintain` within four hours, all pending");
      await own.caller.retrieve();
      await own.passTime(AN_HOUR);
      const after = plugin.log.filter((call) => call === "maintain").length;
      expect.atLeast(after, 2, "calls of `maintain` within five hours, after the first has returned");
    },
  }),
];

const singletonChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/second-host-does-not-start",
    clauses: ["DISC-3"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const first = await t.startHost({ plugins: { working: new ScriptedPlugin() }, tenants: ["a", "b"] });
      const beside = { prefix: first.prefix, plugins: { working: new ScriptedPlugin() } };
      for (const tenants of [["b", "c"], ["*"]]) {
        expect.equal(
          await outcomeOf(t, { ...beside, plugins: { working: new ScriptedPlugin() }, tenants }),
          "refused",
          `starting a host for the tenants ${tenants} in addition to one of the same prefix for the tenants a,b`,
        );
      }
      await first.stop();
      const outcome = await outcomeOf(t, { ...beside, tenants: ["a", "b"] });
      expect.equal(outcome, "started", "starting the same host once the first has stopped");
    },
  }),
  hostCheck({
    id: "host-plugins/two-that-start-at-once-do-not-both",
    clauses: ["DISC-3"],
    provisions: ["own_plugins"],
    async run(t) {
      const prefix = `conformance-pair-${t.random.hex(10)}`;
      const start = () => outcomeOf(t, { prefix, plugins: { working: new ScriptedPlugin() } });
      const outcomes = await Promise.all([start(), start()]);
      const started = outcomes.filter((outcome) => outcome === "started");
      t.expect.atMost(
        started.length,
        1,
        "hosts that start, of two of the same prefix that are started at once",
      );
    },
  }),
];

/** Starts a host and returns `started` or `refused`. */
export async function outcomeOf(t: HostContext, parts: OwnHostParts): Promise<string> {
  return t.startHost(parts).then(
    () => "started",
    () => "refused",
  );
}

export const lifecycleChecks: readonly Check[] = [...pluginLifeChecks, ...singletonChecks];
