import {
  COUNT,
  DAY_S,
  type Days,
  dateOf,
  monthStart,
  numberOf,
  UNIT,
  unitDays,
  WEEKDAYS,
} from "../calendar.js";

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const YEAR = "(?<year>(?:19|20)\\d{2})";

/** A range of time in a question, and the question without it. */
export interface QuestionRange {
  /** Unix seconds of the event: from `since` (inclusive) to `until` (exclusive). */
  readonly since: number;
  readonly until: number;
  /** The rest of the question. "" if it has no subject except the speaker. */
  readonly query: string;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Returns undefined for a day that does not exist. */
type DaysOf = (groups: Groups, today: number) => Days | undefined;

/** Expressions with the longest form first. */
const EXPRESSIONS: readonly (readonly [RegExp, DaysOf])[] = (
  [
    ["(?:on )?(?:the )?day before yesterday", (_, today) => [today - 2, today - 1]],
    ["(?:on )?yesterday", (_, today) => [today - 1, today]],
    ["today", (_, today) => [today, today + 1]],
    [`(?:about |around )?${COUNT} ${UNIT}s? ago`, ago],
    [`(?:in|over|during|within|from) the (?:last|past) ${COUNT} ${UNIT}s?`, lastCount],
    [`(?:the )?(?:last|past) ${COUNT} ${UNIT}s?`, lastCount],
    ["(?:in |during )?(?:the )?(?<which>this|last|previous|past) (?<unit>week|month|year)", oneUnit],
    [`(?:on )?(?<which>last|this) (?<weekday>${WEEKDAYS.join("|")})`, lastWeekday],
    [`on (?<weekday>${WEEKDAYS.join("|")})`, lastWeekday],
    [`(?:on )?${YEAR}-(?<number>\\d{2})-(?<day>\\d{2})`, oneDay],
    [`(?:on )?(?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}\\.?(?:,? ${YEAR})?`, oneDay],
    [`(?:on )?${MONTH}\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? ${YEAR})?(?![\\d:])`, oneDay],
    [`(?<!\\d )(?:in |during )?${MONTH}\\.?,? ${YEAR}`, oneMonth],
    [`(?:in|during|last|this past) ${MONTH}`, oneMonth],
    [`(?:in|during) ${YEAR}`, ({ year }) => [monthStart(Number(year), 0), monthStart(Number(year) + 1, 0)]],
  ] satisfies [string, DaysOf][]
).map(([pattern, daysOf]) => [new RegExp(`(?<![\\w./-])${pattern}(?![\\w/-])`, "i"), daysOf]);

/** Words of a question that are about remembering, not about its subject. */
const EMPTY_WORDS = new Set(
  [
    "a about all and any anything are as at be been can could did discuss discussed do does",
    "done everything for from had happen happened has have he i in is it know list me mention",
    "mentioned my of on our please recall remember remind said say she show summarize talk",
    "talked tell that the them there they things told to us was we were what when which who",
    "with you your",
  ].flatMap((line) => line.split(" ")),
);

/**
 * Finds the first English expression of time in a question, such as "last week", "in May", "yesterday", "3 days
 * ago" or "on 5 May 2024". Days, months and years are in UTC, and weeks begin on Monday. A month without a year
 * is the latest one that has begun.
 * @param now Unix seconds.
 * @returns undefined if the question has none.
 */
export function questionRange(question: string, now: number): QuestionRange | undefined {
  const today = Math.floor(now / DAY_S);
  for (const [expression, daysOf] of EXPRESSIONS) {
    const match = expression.exec(question);
    const days = match === null ? undefined : daysOf(match.groups ?? {}, today);
    if (match === null || days === undefined) continue;
    const rest = `${question.slice(0, match.index)} ${question.slice(match.index + match[0].length)}`;
    return { since: Math.max(0, days[0] * DAY_S), until: days[1] * DAY_S, query: withoutEmptyWords(rest) };
  }
  return undefined;
}

function withoutEmptyWords(question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.every((word) => EMPTY_WORDS.has(word)) ? "" : question.replaceAll(/\s+/g, " ").trim();
}

function ago({ count, unit }: Groups, today: number): Days {
  return unitDays(unit!, today, -numberOf(count!));
}

/** The last N units until now, with today. */
function lastCount({ count, unit }: Groups, today: number): Days {
  const number = numberOf(count!);
  const { year, month, day } = dateOf(today);
  switch (unit!.toLowerCase()) {
    case "day":
      return [today - number, today + 1];
    case "week":
      return [today - 7 * number, today + 1];
    case "month":
      return [Math.min(monthStart(year, month - number) + day - 1, today), today + 1];
    default:
      return [Math.min(monthStart(year - number, month) + day - 1, today), today + 1];
  }
}

function oneUnit({ which, unit }: Groups, today: number): Days {
  return unitDays(unit!, today, which!.toLowerCase() === "this" ? 0 : -1);
}

/** The latest day of the name before today. */
function lastWeekday({ weekday }: Groups, today: number): Days {
  const wanted = WEEKDAYS.indexOf(weekday!.toLowerCase());
  const back = (dateOf(today).weekday - wanted + 7) % 7 || 7;
  return [today - back, today - back + 1];
}

function oneDay({ year, month, number, day }: Groups, today: number): Days | undefined {
  const monthNumber = month === undefined ? Number(number) - 1 : monthOf(month);
  const dayNumber = Number(day);
  const inYear = (candidate: number) => monthStart(candidate, monthNumber) + dayNumber - 1;
  const thisYear = dateOf(today).year;
  const found = inYear(year === undefined ? thisYear - (inYear(thisYear) > today ? 1 : 0) : Number(year));
  const date = dateOf(found);
  return date.day === dayNumber && date.month === monthNumber ? [found, found + 1] : undefined;
}

function oneMonth({ year, month }: Groups, today: number): Days {
  const number = monthOf(month!);
  const now = dateOf(today);
  const ofYear = year === undefined ? now.year - (number > now.month ? 1 : 0) : Number(year);
  return [monthStart(ofYear, number), monthStart(ofYear, number + 1)];
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase());
}
