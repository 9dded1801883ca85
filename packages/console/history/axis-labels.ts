import { utc } from '../../pages/format.ts';
import { axisAmount } from '../core/currency.ts';

/** The number of decimals that distinguish values one step apart, plus one if the step is not round. */
function decimalsOf(step: number): number {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const scaled = step * 10 ** decimals;
  return Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled ? decimals : decimals + 1;
}

function stepAt(ticks: readonly number[], place: number): number {
  const tick = ticks[place] ?? 0;
  const steps = [ticks[place - 1], ticks[place + 1]].map((other) => Math.abs((other ?? Number.NaN) - tick));
  const positiveSteps = steps.filter((step) => step > 0);
  return positiveSteps.length > 0 ? Math.min(...positiveSteps) : Math.abs(tick) / 1000;
}

const exponentOf = (tick: number) => (tick === 0 ? 0 : Math.floor(Math.log10(Math.abs(tick))));
const UNITS = [1e12, 1e9, 1e6, 1e3];
/** The smallest values that are written in compact units. */
const LARGE = { prices: 1e6, amounts: 1e4 };

/** Without a currency, the labels are numbers. Ticks with the same exponent have the same number of decimals, enough to distinguish them. */
export function axisLabels(ticks: readonly number[], currency: string | undefined, kind: keyof typeof LARGE): string[] {
  const most = Math.max(...ticks.map(Math.abs));
  // Scientific notation (1.2E-10), because ten zeros are unreadable.
  const isTiny = most > 0 && most < 1e-8;
  const isLarge = most >= LARGE[kind];
  const notation = isTiny ? 'scientific' : isLarge ? 'compact' : 'standard';
  const decimals = ticks.map((tick, place) => {
    const step = stepAt(ticks, place);
    const unit = isTiny ? 10 ** exponentOf(tick) : isLarge && UNITS.find((one) => Math.abs(tick) >= one);
    return step > 0 ? decimalsOf(step / (unit || 1)) : 0;
  });
  return ticks.map((tick, place) => {
    const alike = decimals.filter((_, other) => exponentOf(ticks[other] ?? 0) === exponentOf(tick));
    return axisAmount(tick, currency, notation, Math.max(decimals[place] ?? 0, ...alike));
  });
}

const DAY_S = 86_400;

const LABELS = {
  year: utc({ year: 'numeric' }),
  month: utc({ month: 'short', year: 'numeric' }),
  day: utc({ day: 'numeric', month: 'short' }),
  time: utc({ timeStyle: 'short' }),
};

/** Labels midnight with its date. `at` is in Unix seconds. */
export function timeLabel(at: number, unit: keyof typeof LABELS): string {
  const isDate = unit === 'time' && at % DAY_S === 0;
  return LABELS[isDate ? 'day' : unit].format(at * 1000);
}
