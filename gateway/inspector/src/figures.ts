/** Returns a number in the language of the browser, "unknown" without a number. */
export function countText(value: number | null | undefined): string {
  return value === null || value === undefined ? "unknown" : value.toLocaleString();
}

/** Returns `1 entry`, `2 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

const SIZES = ["kilobyte", "megabyte", "gigabyte"] as const;

/** Returns a size such as `12.5 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, "byte");
  const step = Math.min(SIZES.length, Math.floor(Math.log10(bytes) / 3));
  const style = { style: "unit", unit: SIZES[step - 1]!, maximumFractionDigits: 1 } as const;
  return (bytes / 1_000 ** step).toLocaleString(undefined, style);
}

const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Returns the time since `at`, for example `3 hours ago`. Both are Unix seconds. */
export function agoText(at: number, now: number): string {
  const passedS = Math.max(0, now - at);
  const [unit, seconds] = UNITS.find(([, length]) => passedS >= length) ?? ["minute", 60];
  return AGO.format(-Math.floor(passedS / seconds), unit);
}
