import type { Growth } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { counted } from "../../figures.js";
import { useWidth } from "../canvas-surroundings.js";

const HEIGHT = 150;
const TOP = 16;
const GAP = 3;
/** Height of a step with an unknown number. It must not look like the largest number. */
const UNKNOWN_HEIGHT = 12;
const DAY_S = 86_400;
const LABEL_PX = 90;

/** Draws how many entries were created in each step. A step with an unknown number is a short dashed box. */
export function GrowthChart({ growth }: { readonly growth: Growth }): VNode {
  const { steps, step_s: stepS } = growth;
  const known = steps.flatMap(({ entries }) => entries ?? []);
  const total = known.reduce((sum, count) => sum + count, 0);
  const most = Math.max(1, ...known);
  const frame = useRef<HTMLDivElement>(null);
  const wholeWidth = useWidth(frame);
  const width = wholeWidth / steps.length;
  const bar = ({ from, entries }: Growth["steps"][number], n: number) => {
    const height = entries === null ? UNKNOWN_HEIGHT : (entries / most) * HEIGHT;
    const title = `${stepText(from, stepS)}: ${entries === null ? "unknown" : counted(entries, "entry", "entries")}`;
    return html`<rect key=${from} class=${entries === null ? "unknown" : "known"} x=${n * width + GAP / 2}
      y=${TOP + HEIGHT - height} width=${Math.max(1, width - GAP)} height=${height} rx="2"><title>${title}</title></rect>`;
  };
  const every = Math.max(1, Math.ceil(LABEL_PX / Math.max(1, width)));
  const label = ({ from }: Growth["steps"][number], n: number) =>
    n % every === 0 &&
    html`<text key=${from} x=${n * width + GAP / 2} y=${TOP + HEIGHT + 16}>${stepText(from, stepS)}</text>`;
  const summary = summaryOf(total, known.length, steps.length);
  return html`<p class="quiet" data-created=${known.length > 0 ? total : "unknown"}>${summary}</p>
    <div ref=${frame}>${
      wholeWidth > 0 &&
      html`<svg class="growth" width=${wholeWidth} height=${TOP + HEIGHT + 22}
      role="img" aria-label=${`Growth: ${summary}`}>
      <line x1="0" x2=${wholeWidth} y1=${TOP} y2=${TOP} />
      <text x=${wholeWidth} y=${TOP - 4} class="end">${most.toLocaleString()}</text>
      <line x1="0" x2=${wholeWidth} y1=${TOP + HEIGHT} y2=${TOP + HEIGHT} />
      ${steps.map(bar)}${steps.map(label)}
    </svg>`
    }</div>`;
}

function summaryOf(total: number, known: number, all: number): string {
  if (known === 0) return "The number of created entries is unknown.";
  const missing = known < all ? `, ${counted(all - known, "interval")} unknown` : "";
  return `${counted(total, "entry", "entries")} created${missing}. Deleted entries are not counted.`;
}

/** Returns the day or the time of a step in the language of the browser. */
function stepText(from: number, stepS: number): string {
  const style =
    stepS >= DAY_S / 2
      ? ({ day: "numeric", month: "short" } as const)
      : ({ hour: "numeric", minute: "2-digit" } as const);
  return new Intl.DateTimeFormat(undefined, style).format(from * 1_000);
}
