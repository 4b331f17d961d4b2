const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const TIME_MAX = 1e11;

/** Each form has its own order, so year, month (1..12) and day are read from named groups. */
const DATE_FORMS: readonly RegExp[] = [
  /^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})$/,
  /^(?<day>\d{1,2})\.\s?(?<month>\d{1,2})\.\s?(?<year>\d{4})$/,
  /^(?<day>\d{1,2})(?:st|nd|rd|th)?\.?(?:-|(?:\s+of)?\s+)(?<month>[a-z]{3,9})(?:-|\.?,?\s+)(?<year>\d{4})$/,
  /^(?<month>[a-z]{3,9})\.?[-\s]\s*(?<day>\d{1,2})(?:st|nd|rd|th)?(?:-|,?\s+)(?<year>\d{4})$/,
];
const CLOCK =
  /(?:\bat )?\b(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?(?: ?([ap])\.?m\b\.?)?(?: ?(z|utc|gmt|[+-]\d{2}:?\d{2})\b)?/;
/** Matches `9 am`, a time without minutes. */
const FULL_HOUR = /\b(?<!:)(\d{1,2}) ?([ap])\.?m\b/;
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+/;
/** Matches the weekday of `2023/05/20 (Sat) 02:21`. */
const WEEKDAY_IN_BRACKETS = / ?\((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\) ?/;

/**
 * Returns the Unix seconds of a date in common notations: `1:56 pm on 8 May, 2023`, `May 8, 2023`,
 * `8.5.2023`, `March-15-2024`, `2023/05/20 (Sat) 02:21`, `2023-05-08T13:56:00+02:00`. A number is returned unchanged. UTC unless an offset is given,
 * midnight without a time of day. Returns undefined if the text cannot be parsed, is before 1970, or names a
 * day that does not exist.
 */
export function parseDate(written: string | number): number | undefined {
  const seconds = typeof written === "number" ? written : parseText(written);
  return seconds !== undefined && seconds >= 0 && seconds <= TIME_MAX ? seconds : undefined;
}

function parseText(written: string): number | undefined {
  // No date is longer. This bounds the input of the patterns.
  if (written.length > 64) return undefined;
  const text = written.trim().toLowerCase().replace(/\s+/g, " ");
  const clock = CLOCK.exec(text.replace(/(\d)t(?=\d{2}:)/, "$1 ").replace(FULL_HOUR, "$1:00 $2m"));
  const rest = clock === null ? text : clock.input.replace(clock[0], " ");
  const dayText = rest
    .replace(WEEKDAY_IN_BRACKETS, " ")
    .replace(/^[ ,]+|(?<![ ,])[ ,]+$/g, "")
    .replace(/^on /, "")
    .replace(WEEKDAY, "");
  const day = parseDay(dayText);
  const time = clock === null ? 0 : secondsOfDay(clock);
  return day === undefined || time === undefined ? undefined : day + time;
}

function parseDay(text: string): number | undefined {
  for (const form of DATE_FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups === undefined) continue;
    const year = Number(groups.year);
    const month = monthOf(groups.month!);
    const date = new Date(Date.UTC(year, month - 1, Number(groups.day)));
    const exists = date.getUTCMonth() === month - 1 && date.getUTCFullYear() === year;
    return exists ? date.getTime() / 1000 : undefined;
  }
  return undefined;
}

/** Returns 1..12, or 0 for an unknown month. */
function monthOf(written: string): number {
  return /^\d/.test(written) ? Number(written) : MONTHS.indexOf(written.slice(0, 3)) + 1;
}

function secondsOfDay([, hours, minutes, seconds = "0", half, zone]: RegExpExecArray): number | undefined {
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === "p" ? 12 : 0);
  const outside = hour > 23 || Number(minutes) > 59 || Number(seconds) >= 60;
  if (outside || (half !== undefined && Number(hours) > 12)) return undefined;
  return hour * 3600 + Number(minutes) * 60 + Number(seconds) - offsetSeconds(zone);
}

function offsetSeconds(zone = "z"): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (sign === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}
