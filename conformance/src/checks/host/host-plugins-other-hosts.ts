import { delay, isMemoryError, systemClock } from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext, OwnHost } from "../../context.js";
import { ScriptedPlugin } from "../../host-route/scripted-plugin.js";

const HOSTS_SUBJECT = "$SRV.INFO.membus";
const ASKED_WITHIN_SECONDS = 3_600;
const LOOKS = 40;
const LOOK_INTERVAL_MS = 50;

/** Returns whether a host answers a ping. Waits up to two seconds for the `wanted` state. */
async function servesInTheEnd(own: OwnHost, wanted: boolean): Promise<boolean> {
  let serves = !wanted;
  for (let look = 0; look < LOOKS && serves !== wanted; look++) {
    await delay(systemClock, LOOK_INTERVAL_MS);
    serves = await own.send("ping", { type: "ping" }, { timeoutMs: 500 }).then(
      () => true,
      (error: unknown) => {
        if (!isMemoryError(error)) throw error;
        return false;
      },
    );
  }
  return serves;
}

/** Simulates a host of the same prefix with the uptime `servingMs`. Returns a function that stops it. */
function pretendHost({ bus }: HostContext, prefix: string, servingMs: number): () => Promise<void> {
  const metadata = {
    protocol_version: "1.0",
    state: "serving",
    tenants: "*",
    prefix,
    serving_ms: String(servingMs),
  };
  const info = {
    type: "io.nats.micro.v1.info_response",
    name: "membus",
    id: `other-${prefix}`,
    version: "1.0.0",
    metadata,
  };
  const subscription = bus.subscribe(HOSTS_SUBJECT, ({ reply }: BusMessage) => {
    if (reply !== undefined) bus.publish(reply, Buffer.from(JSON.stringify(info)));
  });
  return () => subscription.drain();
}

export const otherHostsChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/stops-for-one-that-has-served-longer",
    clauses: ["DISC-5"],
    provisions: ["own_plugins"],
    async run(t) {
      const own = await t.startHost({ plugins: { working: new ScriptedPlugin() } });
      t.expect.equal(
        await servesInTheEnd(own, true),
        true,
        "a host answers a ping before another one appears",
      );
      for (const [servingMs, serves, which] of [
        [0, true, "that has only just begun to serve"],
        [10 * ASKED_WITHIN_SECONDS * 1_000, false, "that has served for ten hours"],
      ] as const) {
        const withdraw = pretendHost(t, own.prefix, servingMs);
        await t.bus.flush();
        await own.passTime(ASKED_WITHIN_SECONDS);
        await own.bus.flush();
        const what = `a host answers a ping, an hour after one of its prefix appeared ${which}`;
        t.expect.equal(await servesInTheEnd(own, serves), serves, what);
        await withdraw();
      }
    },
  }),
];
