import type { Bus, Message } from "@membus/protocol";
import { hostMutant, type Mutant } from "../mutant.js";
import { interceptEvents, rewriteEvents } from "./intercept.js";

const TOLD = "host-plugins/progress-of-indexing-anew-is-told";

function isProgress({ type }: Message): boolean {
  return type === "memory/reindex";
}

function withoutProgress(isMissing: (progress: Message) => boolean) {
  return (bus: Bus) =>
    interceptEvents(bus, (event, _, send) => {
      if (!isProgress(event) || !isMissing(event)) send(event);
    });
}

function withProgress(change: (progress: Message) => Message) {
  return (bus: Bus) => rewriteEvents(bus, (event) => (isProgress(event) ? change(event) : event));
}

export const reindexMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-reindexes-in-silence",
    defect: "nobody is told how far a tier has got that is indexed anew",
    check: TOLD,
    names: /subjects of the messages two seconds after 10 of the 40 entries/,
    bus: withoutProgress(() => true),
  }),
  hostMutant({
    id: "host-plugins-reindexes-without-an-end",
    defect: "progress is told while a tier is indexed anew, but not its end",
    check: TOLD,
    names: /subjects of the messages two seconds after 40 of the 40 entries/,
    bus: withoutProgress(({ state }) => state === "done"),
  }),
  hostMutant({
    id: "host-plugins-reindex-counts-what-is-left",
    defect: "`done` counts the entries that are still to be indexed",
    check: TOLD,
    names: /what the message says/,
    bus: withProgress((progress) => ({ ...progress, done: Number(progress.total) - Number(progress.done) })),
  }),
  hostMutant({
    id: "host-plugins-reindex-without-analyzer",
    defect: "progress names the embedder, and not the analyzer",
    check: TOLD,
    names: /fields of the message .* got \["analyzer"\]/,
    bus: withProgress(({ analyzer, ...progress }) => progress),
  }),
  hostMutant({
    id: "host-plugins-reindex-never-pauses",
    defect: "a tier that waits for its embedder is told to be running",
    check: TOLD,
    names: /what the message says two seconds after 30 of the 40 entries/,
    bus: withProgress((progress) => ({
      ...progress,
      state: progress.state === "paused" ? "running" : progress.state,
    })),
  }),
  hostMutant({
    id: "host-plugins-reindex-told-too-often",
    defect: "progress is told three times a second",
    check: "host-plugins/progress-of-indexing-anew-is-told-once-a-second",
    names: /messages within [\d.]+ s with 20 changes/,
    bus: (bus) =>
      interceptEvents(bus, (event, _, send) => {
        for (let copy = 0; copy < (isProgress(event) ? 3 : 1); copy++) send(event);
      }),
  }),
];
