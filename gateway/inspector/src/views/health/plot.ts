import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { useScheme, useWidth } from "../canvas-surroundings.js";
import type { Line } from "./health-samples.js";

const HEIGHT_PX = 160;
const COLORS = 6;
/** Time span of a plot and of the samples, in seconds. */
const WINDOW_S = 300;
/** Dash patterns, so that lines differ by more than their color. */
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [10, 3, 2, 3], [1, 4], [8, 8]];

export interface PlotProps {
  readonly title: string;
  readonly unit: string;
  /** Times of the samples in Unix seconds. */
  readonly at: readonly number[];
  readonly lines: readonly Line[];
}

/** Draws the last minutes as lines, with the latest values in a table. */
export function Plot({ title, unit, at, lines }: PlotProps): VNode {
  const row = ({ label, values }: Line, index: number) => html`<tr key=${label}>
    <th scope="row"><${Swatch} index=${index} /> ${label}</th>
    <td class="number">${shownNumber(values.at(-1))}</td></tr>`;
  return html`<section class="plot" aria-label=${title}>
    <h3>${title}</h3>
    <div class="plotted">
      <${Curves} title=${title} at=${at} lines=${lines} />
      <table><caption>Latest, ${unit}</caption><tbody>${lines.map(row)}</tbody></table>
    </div>
  </section>`;
}

/** Shows the color and the dash pattern of a line. */
function Swatch({ index }: { readonly index: number }): VNode {
  const dash = dashOf(index).join(" ");
  return html`<svg class="swatch" width="24" height="8" aria-hidden="true">
    <line x1="0" y1="4" x2="24" y2="4" stroke=${`var(--series-${index % COLORS})`} stroke-width="3"
      stroke-dasharray=${dash === "" ? undefined : dash} /></svg>`;
}

function dashOf(index: number): readonly number[] {
  return DASHES[index % DASHES.length]!;
}

/** Formats a number. Returns a dash for a missing value. */
export function shownNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return value.toLocaleString(undefined, { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 });
}

function Curves({ title, at, lines }: Pick<PlotProps, "title" | "at" | "lines">): VNode {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const width = useWidth(frame);
  const scheme = useScheme();
  const labels = lines.map(({ label }) => label);
  const data = [at, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  useEffect(() => {
    if (width === 0) return;
    const made = new uPlot(optionsOf(frame.current!, labels, width), data, frame.current!);
    plot.current = made;
    return () => made.destroy();
  }, [width, scheme, labels.join("\n")]);
  useEffect(() => plot.current?.setData(data), [at, lines]);
  return html`<div class="curves" ref=${frame} role="img"
    aria-label=${`${title} over the last five minutes. The table shows the latest values.`}></div>`;
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** Returns a time of Unix seconds in the language of the browser. */
function clockText(at: number): string {
  return CLOCK.format(at * 1_000);
}

function optionsOf(frame: HTMLElement, labels: readonly string[], width: number): uPlot.Options {
  const style = getComputedStyle(frame);
  const color = (name: string) => style.getPropertyValue(`--${name}`);
  const axis = {
    stroke: color("quiet"),
    grid: { stroke: color("line"), width: 0.5 },
    ticks: { stroke: color("line") },
  };
  const series = labels.map((label, index) => ({
    label,
    stroke: color(`series-${index % COLORS}`),
    width: 2,
    dash: [...dashOf(index)],
    points: { show: false },
  }));
  return {
    width,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { show: false },
    axes: [
      { ...axis, values: (_, times) => times.map(clockText), space: 90 },
      { ...axis, size: 56, values: (_, values) => values.map(shownNumber) },
    ],
    scales: {
      x: { range: (_, __, latest) => [latest - WINDOW_S, latest] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    series: [{}, ...series],
  };
}
