import { z } from 'zod';
import { iso } from '#core/clock';

/** ISO 8601 in the shortest form: the date of a midnight (UTC), otherwise the time to the second. */
export function isoTime(instant: number): string {
  const text = iso(instant).slice(0, 19);
  return text.endsWith('T00:00:00') ? text.slice(0, 10) : `${text}Z`;
}

export const isoOfHttpDate = (date: string | null): string | null => (date === null ? null : isoTime(Date.parse(date)));

export const isoTimeSchema = z.string();
