import { DAY, HOUR } from '../core/time.ts';

/** Easter Sunday of a year (Unix ms of its midnight, UTC), by the Gregorian calendar's rules (J.-M. Oudin). */
function easter(year: number): number {
  const century = Math.floor(year / 100);
  const golden = year % 19;
  const epact =
    (century -
      Math.floor(century / 4) -
      Math.floor((century - Math.floor((century - 17) / 25)) / 3) +
      19 * golden +
      15) %
    30;
  const skip = Math.floor(epact / 28);
  const moon = epact - skip * (1 - Math.floor(29 / (epact + 1)) * Math.floor((21 - golden) / 11));
  const weekday = (year + Math.floor(year / 4) + moon + 2 - century + Math.floor(century / 4)) % 7;
  return Date.UTC(year, 2, 28) + (moon - weekday) * DAY;
}

/** The dates from one thru another (Unix ms of their midnights, UTC) for which rates are published: not weekends and holidays. */
export function publicationDates(from: number, thru: number): number[] {
  const dates: number[] = [];
  for (let date = from; date <= thru; date += DAY) {
    const day = new Date(date);
    if ([0, 6].includes(day.getUTCDay())) continue;
    if (['01-01', '05-01', '12-25', '12-26'].includes(day.toISOString().slice(5, 10))) continue;
    const sunday = easter(day.getUTCFullYear());
    if (date !== sunday - 2 * DAY && date !== sunday + DAY) dates.push(date);
  }
  return dates;
}

/** When the rates of a date are out: 16:00 in winter, 17:00 in summer, in Frankfurt. */
export const publishedAt = (date: number): number => date + 15 * HOUR;
