import type { Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { interceptEvents, rewriteEvents } from "./intercept.js";

const PROGRESS_CHECK = "host-plugins/progress-of-indexing-anew-is-told";

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
    defect: "the progress of reindexing a tier is not reported",
    check: PROGRESS_CHECK,
    names: /subjects of the messages two seconds after 10 of the 40 entries/,
    bus: withoutProgress(() => true),
  }),
  hostMutant({
    id: "host-plugins-reindexes-without-an-end",
    defect: "the progress of reindexing a tier is reported, but not its end",
    check: PROGRESS_CHECK,
    names: /subjects of the messages two seconds after 40 of the 40 entries/,
    bus: withoutProgress(({ state }) => state === "done"),
  }),
  hostMutant({
    id: "host-plugins-reindex-counts-what-is-left",
    defect: "`done` counts the remaining entries",
    check: PROGRESS_CHECK,
    names: /fields of the message/,
    bus: withProgress((progress) => ({ ...progress, done: Number(progress.total) - Number(progress.done) })),
  }),
  hostMutant({
    id: "host-plugins-reindex-without-analyzer",
    defect: "progress names the embedder instead of the analyzer",
    check: PROGRESS_CHECK,
    names: /fields of the message .* got \["analyzer"\]/,
    bus: withProgress(({ analyzer, ...progress }) => progress),
  }),
  hostMutant({
    id: "host-plugins-reindex-never-pauses",
    defect: "a tier that waits for its embedder is reported as running",
    check: PROGRESS_CHECK,
    names: /fields of the message two seconds after 30 of the 40 entries/,
    bus: withProgress((progress) => ({
      ...progress,
      state: progress.state === "paused" ? "running" : progress.state,
    })),
  }),
  hostMutant({
    id: "host-plugins-reindex-told-too-often",
    defect: "progress is reported three times a second",
    check: "host-plugins/progress-of-indexing-anew-is-told-once-a-second",
    names: /messages within [\d.]+ s with 20 changes/,
    bus: (bus) =>
      interceptEvents(bus, (event, _, send) => {
        for (let copy = 0; copy < (isProgress(event) ? 3 : 1); copy++) send(event);
      }),
  }),
];
