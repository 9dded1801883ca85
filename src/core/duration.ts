import { DAY, HOUR } from './clock.ts';

const UNITS = { h: HOUR, d: DAY } as const;

/** Reads `36h` or `400d`, in ms; undefined for another form. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS[unit as keyof typeof UNITS];
}
