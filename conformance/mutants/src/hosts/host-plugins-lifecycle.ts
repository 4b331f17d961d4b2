import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import { intercept } from "./intercept.js";
import { betweenPlugins } from "./passing-plugin.js";

/** Hides other hosts in one state. */
function blindFor(state: string) {
  return (bus: Bus): Bus => {
    let own = "";
    const named = intercept(bus, {
      subscribe(route) {
        own = /^\$SRV\.INFO\.membus\.(.+)$/.exec(route.subject)?.[1] ?? own;
        return route;
      },
    });
    const isSeen = ({ payload }: BusMessage) => {
      const { id, metadata } = JSON.parse(Buffer.from(payload).toString());
      return id === own || metadata?.state !== state;
    };
    const requestMany: Bus["requestMany"] = async (...request) =>
      (await bus.requestMany(...request)).filter(isSeen);
    return Object.assign(Object.create(named) as Bus, { requestMany });
  };
}

const pluginLifeMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-opens-twice",
    defect: "a plugin is opened again when the host serves",
    check: "host-plugins/plugin-is-opened-first-and-closed-last",
    names: /calls of (a plugin until its host has started|`open` and `close`)/,
    parts: betweenPlugins((inner) => ({
      async open(services) {
        await inner.open?.(services);
        await inner.open?.(services);
      },
    })),
  }),
  hostMutant({
    id: "host-plugins-opens-late",
    defect: "a plugin is opened at its first request",
    check: "host-plugins/plugin-is-opened-first-and-closed-last",
    names: /calls of a plugin until its host has started/,
    parts: betweenPlugins((inner) => {
      let opening = async () => {};
      return {
        async open(services) {
          opening = async () => inner.open?.(services);
        },
        async onStore(scope, request) {
          await opening();
          opening = async () => {};
          return inner.onStore(scope, request);
        },
      };
    }),
  }),
  hostMutant({
    id: "host-plugins-closes-early",
    defect: "a host that stops does not wait for the calls of its plugins",
    check: "host-plugins/plugin-is-opened-first-and-closed-last",
    names: /a host that is stopped before a plugin has returned/,
    options: { drainTimeoutMs: 1, closeTimeoutMs: 1 },
  }),
  hostMutant({
    id: "host-plugins-starts-without-a-plugin",
    defect: "a host starts although one of its plugins did not open",
    check: "host-plugins/plugin-that-fails-to-open-stops-the-start",
    names: /starting a host with a plugin that throws from `open`/,
    parts: betweenPlugins((inner) => ({
      open: async (services) => inner.open?.(services).catch(() => undefined),
    })),
  }),
  hostMutant({
    id: "host-plugins-maintains-by-the-clock",
    defect: "maintenance starts at every interval, even if the last run has not ended",
    check: "host-plugins/maintain-is-never-called-twice-at-a-time",
    names: /calls of `maintain` within (an hour|four hours), all pending/,
    parts: betweenPlugins((inner) => ({
      async maintain() {
        void inner.maintain?.();
      },
    })),
  }),
];

const singletonMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-starts-beside-another",
    defect: "a host does not query for other hosts before it serves",
    check: "host-plugins/second-host-does-not-start",
    names: /starting a host for the tenants b,c in addition to one/,
    bus: blindFor("serving"),
  }),
  hostMutant({
    id: "host-plugins-sees-only-hosts-that-serve",
    defect: "a starting host does not see another starting host",
    check: "host-plugins/two-that-start-at-once-do-not-both",
    names: /hosts that start, of two/,
    bus: blindFor("starting"),
  }),
];

/** Creates plugins for all tiers, each with one defect. */
function everyTier(create: () => ReferencePlugin) {
  return { working: create, episodic: create, semantic: create };
}

const embedderMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-store-waits-for-the-embedder",
    defect: "a store waits for the embedder without a limit",
    check: "host-plugins/store-does-not-wait-long-for-the-embedder",
    names: /outcomes of a store while the embedder does not answer/,
    plugins: everyTier(
      () =>
        new (class extends ReferencePlugin {
          protected override async vectorOf(row: Parameters<ReferencePlugin["vectorOf"]>[0]) {
            const answer = await this.services.embedder?.embed([row.text ?? String(row.content)], "document");
            return answer?.[0] ?? undefined;
          }
        })(),
    ),
  }),
  hostMutant({
    id: "host-plugins-query-waits-for-the-embedder",
    defect: "a query waits for the embedder, although words would suffice",
    check: "host-plugins/found-by-text-while-the-embedder-is-away",
    names: /while the embedder does not answer, in the default mode/,
    plugins: everyTier(
      () =>
        new (class extends ReferencePlugin {
          protected override queryVector(request: Parameters<ReferencePlugin["queryVector"]>[0]) {
            const mode = request.mode === "hybrid" ? "vector" : request.mode;
            return super.queryVector({ ...request, mode });
          }
        })(),
    ),
  }),
  hostMutant({
    id: "host-plugins-embeds-once",
    defect: "an entry that was stored without a vector never gets one",
    check: "host-plugins/found-by-meaning-once-the-embedder-is-back",
    names: /key found first by meaning after the embedder recovered/,
    plugins: everyTier(
      () =>
        new (class extends ReferencePlugin {
          protected override async embedPending() {}
        })(),
    ),
  }),
];

export const lifecycleMutants: readonly Mutant[] = [
  ...pluginLifeMutants,
  ...singletonMutants,
  ...embedderMutants,
];
