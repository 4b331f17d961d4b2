import { COUNT, DAY_S, dateOf, numberOf, UNIT, unitDays, WEEKDAYS } from "../calendar.js";

const WEEKDAY = WEEKDAYS.join("|");

/** A preposition before the expression, which stays. "on" is then left out. */
const BEFORE = "(?<before>\\b(?:until|till|by|from|since|before|after|for|of|on|in|at)\\s+)?";
const PARTS_OF_DAY = "(?<part>\\s+(?:morning|afternoon|evening|night))?";

const EXPRESSIONS: readonly (readonly [string, (words: Words, day: number) => string])[] = [
  [`the day after tomorrow${PARTS_OF_DAY}`, (words, day) => onDay(words, day + 2)],
  [`the day before yesterday${PARTS_OF_DAY}`, (words, day) => onDay(words, day - 2)],
  [`tomorrow${PARTS_OF_DAY}`, (words, day) => onDay(words, day + 1)],
  [`yesterday${PARTS_OF_DAY}`, (words, day) => onDay(words, day - 1)],
  ["today", (words, day) => onDay(words, day)],
  ["tonight", (words, day) => onDay({ ...words, part: " evening" }, day)],
  ["last night", (words, day) => onDay({ ...words, part: " night" }, day - 1)],
  ["this (?<part>morning|afternoon|evening)", (words, day) => onDay(words, day)],
  [
    `(?<which>last|next|this|coming) (?<name>${WEEKDAY})${PARTS_OF_DAY}`,
    (words, day) => onDay(words, weekday(words, day)),
  ],
  ["(?<which>last|next|this) (?<unit>week|month|year)", (words, day) => inUnit(words, day, steps(words))],
  [`${COUNT} ${UNIT}s? ago`, (words, day) => inUnit(words, day, -numberOf(words.count!))],
  [`in ${COUNT} ${UNIT}s?(?! (?:of|or|long))`, (words, day) => inUnit(words, day, numberOf(words.count!))],
];

type Words = Readonly<Record<string, string | undefined>>;

/**
 * Replaces English expressions such as "tomorrow" and "last Friday" by the date that they mean on the day of
 * `at` (Unix seconds, UTC). Identifiers and texts in other languages stay unchanged.
 */
export function resolveDates(text: string, at: number): string {
  const day = Math.floor(at / DAY_S);
  return EXPRESSIONS.reduce((resolved, [pattern, dateOf]) => {
    const expression = new RegExp(`(?<![\\w\`.$/-])${BEFORE}${pattern}(?![\\w\`(=/]|['’]s|-\\w)`, "gi");
    return resolved.replaceAll(expression, (...match) => dateOf(match.at(-1) as Words, day));
  }, text);
}

/** Returns the day of a time, such as 2024-05-06. */
export function dayOf(at: number): string {
  return new Date(at * 1000).toISOString().slice(0, 10);
}

function onDay({ before, part }: Words, day: number): string {
  const time = part === undefined ? "" : ` in the ${part.trim()}`.replace("in the night", "at night");
  return `${prepositionOf(before, "on")}${dayOf(day * DAY_S)}${time}`;
}

/** Returns a day for days, the week of a day, a month or a year. */
function inUnit({ before, unit }: Words, day: number, count: number): string {
  const [first] = unitDays(unit!, day, count);
  if (unit!.toLowerCase() === "day") return onDay({ before }, first);
  return `${prepositionOf(before, "in")}${nameOf(unit!, first)}`;
}

function nameOf(unit: string, first: number): string {
  switch (unit.toLowerCase()) {
    case "week":
      return `the week of ${dayOf(first * DAY_S)}`;
    case "month": {
      const month = new Date(first * DAY_S * 1000);
      return month.toLocaleString("en", { month: "long", year: "numeric", timeZone: "UTC" });
    }
    default:
      return String(dateOf(first).year);
  }
}

function prepositionOf(before: string | undefined, otherwise: string): string {
  return before === undefined || /^(on|in|at)\s/i.test(before) ? `${otherwise} ` : before;
}

/** Returns the nearest day with the name: before today for "last", otherwise after today. */
function weekday({ which, name }: Words, day: number): number {
  const wanted = WEEKDAYS.indexOf(name!.toLowerCase());
  const ahead = (wanted - dateOf(day).weekday + 7) % 7 || 7;
  return which?.toLowerCase() === "last" ? day + ahead - 7 - (ahead === 7 ? 7 : 0) : day + ahead;
}

function steps({ which }: Words): number {
  return ["last", "this", "next"].indexOf(which!.toLowerCase()) - 1;
}
