import type { BenchResult } from "./harness/result.js";

const WIDTH = 740;
const LABEL_WIDTH = 200;
const BAR_WIDTH = 430;
const BAR_HEIGHT = 16;
const GROUP_HEIGHT = 52;
const TOP = 70;

interface Bar {
  readonly entryCount: number;
  readonly oursMs: number;
  readonly rawMs: number;
}

/**
 * Returns an SVG bar chart of the hybrid searches among `results`: one pair of bars per number of entries, membus
 * against LanceDB. Each pair has its own scale, so that the ratio is visible at every size. Colours follow the light or dark scheme of the reader.
 *
 * @throws {Error} if `results` has no hybrid search.
 */
export function searchChart(results: readonly BenchResult[]): string {
  const bars = results.flatMap(barOf).sort((one, other) => one.entryCount - other.entryCount);
  if (bars.length === 0) throw new Error("the results have no hybrid search: run the case `retrieve` first");
  const height = TOP + bars.length * GROUP_HEIGHT + 12;
  const title = "Ten best entries by words and meaning: median time, shorter is better";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<style>
text { font: 14px system-ui, sans-serif; fill: #1f2328 }
.small { font-size: 12px; fill: #59636e }
.ours { fill: #2563eb }
.raw { fill: #9ca3af }
.back { fill: #f6f8fa }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.small { fill: #9198a1 }
.ours { fill: #60a5fa }
.raw { fill: #6b7280 }
.back { fill: #161b22 }
}
</style>
<rect class="back" width="${WIDTH}" height="${height}" rx="8"/>
<text x="16" y="28">${title}</text>
<rect class="ours" x="16" y="42" width="12" height="12"/><text class="small" x="34" y="53">membus over NATS</text>
<rect class="raw" x="166" y="42" width="12" height="12"/><text class="small" x="184" y="53">LanceDB hybrid search in process, same rows (each pair has its own scale)</text>
${bars.map((bar, index) => groupOf(bar, index)).join("\n")}
</svg>
`;
}

function barOf({ id, ours, raw }: BenchResult): Bar[] {
  const [, count] = /^retrieve-(\w+)-plain$/.exec(id) ?? [];
  if (count === undefined) return [];
  const entryCount = Number(count.replace("k", "000").replace("m", "000000"));
  return [{ entryCount, oursMs: Number.parseFloat(ours), rawMs: Number.parseFloat(raw) }];
}

function groupOf({ entryCount, oursMs, rawMs }: Bar, index: number): string {
  const top = TOP + index * GROUP_HEIGHT;
  const longest = Math.max(oursMs, rawMs);
  const label = `<text x="16" y="${top + 21}">${entryCount.toLocaleString("en-US")} entries</text>`;
  const row = (name: string, ms: number, y: number) => {
    const width = Math.round((BAR_WIDTH * ms) / longest);
    const text = `<text class="small" x="${LABEL_WIDTH + width + 8}" y="${y + 12}">${ms.toFixed(1)} ms</text>`;
    return `<rect class="${name}" x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR_HEIGHT}"/>${text}`;
  };
  return [label, row("ours", oursMs, top), row("raw", rawMs, top + BAR_HEIGHT + 2)].join("\n");
}
