import { utc } from '../core/format.ts';

const DAY_S = 86_400;

const LABELS = {
  year: utc({ year: 'numeric' }),
  month: utc({ month: 'short', year: 'numeric' }),
  day: utc({ day: 'numeric', month: 'short' }),
  time: utc({ timeStyle: 'short' }),
};
export type TimeUnit = keyof typeof LABELS;

/** The label of a mark on the time axis: a midnight is a date. @param at Unix seconds */
export function timeLabel(at: number, unit: TimeUnit): string {
  const isDate = unit === 'time' && at % DAY_S === 0;
  return LABELS[isDate ? 'day' : unit].format(at * 1000);
}
