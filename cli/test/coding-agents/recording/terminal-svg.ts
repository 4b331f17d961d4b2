/** A line of a terminal. */
export interface TerminalLine {
  readonly kind: "comment" | "command" | "output";
  readonly text: string;
}

/** Columns of the terminal. Longer lines continue on the next. */
const COLUMNS = 92;
const CHAR_WIDTH = 8.43;
const LINE_HEIGHT = 20;
const PADDING = 16;

const STYLE = `text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; fill: #1f2328 }
.comment { fill: #59636e }
.command { fill: #0b5cad }
.back { fill: #f6f8fa }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.comment { fill: #9198a1 }
.command { fill: #8ab8ff }
.back { fill: #161b22 }
}`;

/** Draws lines of a terminal, light or dark as the reader's system. */
export function terminalSvg(title: string, lines: readonly TerminalLine[]): string {
  const rows = lines.flatMap(({ kind, text }) => wrapped(text).map((row) => ({ kind, row })));
  const width = Math.ceil(COLUMNS * CHAR_WIDTH + 2 * PADDING);
  const height = rows.length * LINE_HEIGHT + 2 * PADDING;
  const texts = rows.map(({ kind, row }, index) => {
    const y = PADDING + index * LINE_HEIGHT + 15;
    return `<text class="${kind}" x="${PADDING}" y="${y}" xml:space="preserve">${escaped(row)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>\n${STYLE}\n</style>`,
    `<rect class="back" width="${width}" height="${height}" rx="8"/>`,
    ...texts,
    "</svg>\n",
  ].join("\n");
}

/** Breaks a text at line feeds, and after the last space that fits. */
function wrapped(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const rows: string[] = [];
    let rest = line;
    while (rest.length > COLUMNS) {
      const space = rest.lastIndexOf(" ", COLUMNS);
      const end = space > 0 ? space + 1 : COLUMNS;
      rows.push(rest.slice(0, end).trimEnd());
      rest = rest.slice(end);
    }
    return [...rows, rest];
  });
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
