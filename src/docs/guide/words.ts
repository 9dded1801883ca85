import type { AccountSettings } from '#accounts/settings';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import type { NodeSettings } from '#node/settings';
import type { PriceSettings } from '#prices/settings';

/** What the guide tells of the service that runs. */
export type GuideSettings = { basePath: string } & NodeSettings &
  Pick<AccountSettings, 'burstPerSecond' | 'registration' | 'registrationsPerMinute'> &
  Pick<PriceSettings, 'coingecko' | 'exchangeRatesUrl'>;

/** `1 call`, `10,000 calls`. */
export const count = (n: number, noun: string) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const;

/** `every hour`, `every 2 minutes`: of a duration (ms), in the largest unit of which it is a multiple. */
export function every(ms: number): string {
  const [unit, noun] = UNITS.find(([size]) => ms % size === 0) ?? [SECOND, 'second'];
  return ms === unit ? `every ${noun}` : `every ${count(ms / unit, noun)}`;
}

/** A block of code in Markdown. */
export const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
