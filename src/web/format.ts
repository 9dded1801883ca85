import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';

export const count = (n: number, noun: string) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

export const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const;

/** Formats a duration (ms) in its largest whole unit: `every hour`, `every 2 minutes`. */
export function every(ms: number): string {
  const [unit, noun] = UNITS.find(([size]) => ms % size === 0) ?? [SECOND, 'second'];
  return ms === unit ? `every ${noun}` : `every ${count(ms / unit, noun)}`;
}
