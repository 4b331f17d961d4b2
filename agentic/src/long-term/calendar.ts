/** Days are numbered from 1970, in UTC. */
export const DAY_S = 86_400;

export const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/** Pattern of a count in a text, as the group `count`. */
export const COUNT = `(?<count>\\d{1,3}|an?|${NUMBERS.slice(1).join("|")})`;
/** Pattern of a unit of time, as the group `unit`. */
export const UNIT = "(?<unit>day|week|month|year)";

/** First day, and the day after the last one. */
export type Days = readonly [number, number];

/** Returns the number that a match of `COUNT` names. */
export function numberOf(count: string): number {
  const word = count.toLowerCase();
  if (word === "a" || word === "an") return 1;
  return NUMBERS.includes(word) ? NUMBERS.indexOf(word) : Number(word);
}

/** Returns the whole day, week, month or year that is `offset` units after the one of `day`. Weeks begin on Monday. */
export function unitDays(unit: string, day: number, offset: number): Days {
  const { year, month, weekday } = dateOf(day);
  switch (unit.toLowerCase()) {
    case "day":
      return [day + offset, day + offset + 1];
    case "week": {
      const monday = day - ((weekday + 6) % 7) + 7 * offset;
      return [monday, monday + 7];
    }
    case "month":
      return [monthStart(year, month + offset), monthStart(year, month + offset + 1)];
    default:
      return [monthStart(year + offset, 0), monthStart(year + offset + 1, 0)];
  }
}

/** Returns the first day of a month. Months count from 0 and may be outside of the year. */
export function monthStart(year: number, month: number): number {
  return Date.UTC(year, month, 1) / 1000 / DAY_S;
}

/** Returns the parts of a day. Months and weekdays count from 0. */
export function dateOf(day: number) {
  const date = new Date(day * DAY_S * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}
