import type { AccountSettings } from '#accounts/settings';
import type { NodeSettings } from '#node/settings';
import type { PriceSettings } from '#prices/settings';

export type GuideSettings = { basePath: string } & NodeSettings &
  Pick<AccountSettings, 'burstPerSecond' | 'registration' | 'registrationsPerMinute'> &
  Pick<PriceSettings, 'coingecko' | 'exchangeRatesUrl'>;

/** Returns the address of a page of the docs, or of a section on it. */
export type ToPage = (path: string, section?: string) => string;

export type Guide = {
  /** The placeholder for the origin, followed by the base path. */
  base: string;
  settings: GuideSettings;
  to: ToPage;
};
