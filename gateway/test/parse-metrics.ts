/** Parses the text format of Prometheus into samples by name and labels. @throws for an invalid line. */
export function parseMetrics(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map(sampleOf));
}

const SPECIAL: Readonly<Record<string, number>> = { "+inf": Infinity, "-inf": -Infinity, nan: Number.NaN };

function sampleOf(line: string): [string, number] {
  const [, sample, text = ""] = /^([a-z_][a-z0-9_]*(?:\{[^{}]*\})?) (\S+)$/i.exec(line) ?? [];
  const special = SPECIAL[text.toLowerCase()];
  const value = special ?? Number(text);
  if (sample === undefined || (special === undefined && Number.isNaN(value)))
    throw new Error(`no sample: ${line}`);
  return [sample, value];
}
