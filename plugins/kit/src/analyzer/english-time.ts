const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** A day as people ask for it, in UTC: `Monday 8 May 2023-05-08`. "" for a time outside the calendar. */
export function describeEnglishTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return "";
  const isoDate = date.toISOString().split("T")[0];
  return `${WEEKDAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${isoDate}`;
}
