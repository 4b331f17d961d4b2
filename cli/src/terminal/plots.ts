/** Characters of plots. The eighths of a block are from low to high, or from narrow to wide. */
interface PlotStyle {
  readonly levels: readonly string[];
  readonly bar: string;
}

const UNICODE: PlotStyle = { levels: [..."▁▂▃▄▅▆▇█"], bar: "█" };
const ASCII: PlotStyle = { levels: [..."_.-=*#"], bar: "#" };

/** Columns of the smallest and of the largest bar chart. */
const WIDTH_MIN = 30;
const WIDTH_MAX = 100;

export interface PlotOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly isUnicode: boolean;
}

export interface Bar {
  readonly name: string;
  readonly value: number;
}

/** Returns the plots of a terminal: without UTF-8 in ASCII. Plots have no colours. */
export function plotOptions(
  columns: number | undefined,
  { LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv,
): PlotOptions {
  const locale = LC_ALL || LC_CTYPE || LANG || "";
  return { width: columns ?? 80, isUnicode: /utf-?8/i.test(locale) };
}

/** Returns a line with a bar for each value. A value above 0 has at least one block. */
export function barChart(bars: readonly Bar[], { width, isUnicode }: PlotOptions): string[] {
  const { bar } = isUnicode ? UNICODE : ASCII;
  const numbers = bars.map(({ value }) => value.toLocaleString("en"));
  const nameWidth = Math.max(0, ...bars.map(({ name }) => name.length));
  const numberWidth = Math.max(0, ...numbers.map(({ length }) => length));
  const columns = Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width)) - 2;
  const barWidth = Math.max(1, columns - nameWidth - numberWidth - 4);
  const largest = Math.max(1, ...bars.map(({ value }) => value));
  return bars.map(({ name, value }, index) => {
    const blocks = value <= 0 ? 0 : Math.max(1, Math.round((value / largest) * barWidth));
    return `  ${name.padEnd(nameWidth)}  ${numbers[index]!.padStart(numberWidth)}  ${bar.repeat(blocks)}`.trimEnd();
  });
}

/** Returns one character for each value, as high as its share of the largest. A space is 0. */
export function sparkline(values: readonly number[], { isUnicode }: Pick<PlotOptions, "isUnicode">): string {
  const { levels } = isUnicode ? UNICODE : ASCII;
  const largest = Math.max(...values);
  return values
    .map((value) => (value <= 0 ? " " : levels[Math.ceil((value / largest) * levels.length) - 1]!))
    .join("");
}
