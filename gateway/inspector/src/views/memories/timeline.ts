import type { EntryBrief, FactValidity } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import type { LiveEvent } from "../../api.js";
import { Time } from "../../notices.js";
import type { Entry } from "./entry.js";
import { ReplacedBy } from "./validity.js";

interface Moment {
  readonly id: string;
  /** Unix seconds. */
  readonly at: number;
  readonly name: string;
  readonly note: string | VNode;
}

export interface TimelineProps {
  readonly entry: Entry;
  readonly validity?: FactValidity | undefined;
  readonly hrefOf: (entry: EntryBrief) => string;
  /** Changes since the page was opened. */
  readonly liveEvents: readonly LiveEvent[];
}

/** Shows what happened to an entry, earliest first. The bus keeps no earlier versions. */
export function Timeline({ entry, liveEvents, ...fact }: TimelineProps): VNode {
  const moment = ({ id, at, name, note }: Moment) => html`<li key=${id} data-moment=${name}>
    <strong class=${name}>${name}</strong> <${Time} at=${at} /> <span class="quiet">${note}</span></li>`;
  const moments = [...momentsOf(entry, liveEvents), ...endOf(fact)].sort((a, b) => a.at - b.at);
  return html`<h2>History</h2><ol class="timeline">${moments.map(moment)}</ol>`;
}

function momentsOf(entry: Entry, liveEvents: readonly LiveEvent[]): Moment[] {
  const { timestamps, occurred_at, expires_at, author, revision, seq } = entry;
  const { created, updated } = timestamps;
  const moments: Moment[] = [
    { id: "created", at: created, name: "created", note: seq === revision ? `by ${author}` : "" },
  ];
  if (occurred_at !== created) moments.push({ id: "occurred", at: occurred_at, name: "occurred", note: "" });
  if (updated !== created) {
    moments.push({ id: "updated", at: updated, name: "updated", note: `by ${author}` });
  }
  if (expires_at !== undefined) moments.push({ id: "expires", at: expires_at, name: "expires", note: "" });
  const later = liveEvents.filter((event) => event.revision > revision || event.action !== "stored");
  const live = later.map(({ action, at, author: by, revision: to }) => ({
    ...{ id: `${action} ${to}`, at, name: action },
    note: `by ${by}, while this page is open`,
  }));
  return [...moments, ...live];
}

function endOf({ validity, hrefOf }: Pick<TimelineProps, "validity" | "hrefOf">): Moment[] {
  if (validity?.until === undefined || !validity.superseded) return [];
  const note: VNode = html`<${ReplacedBy} validity=${validity} hrefOf=${hrefOf} />`;
  return [{ id: "ended", at: validity.until, name: "ended", note }];
}
