import type { NodeSettings } from '#node/node-settings';
import type { PriceSettings } from '#prices/prices-settings';
import type { AccountSettings } from '#users/users-settings';

export type GuideSettings = { basePath: string; publicUrl: string | undefined } & NodeSettings &
  Pick<AccountSettings, 'burstPerSecond' | 'registration' | 'registrationsPerMinute'> &
  Pick<PriceSettings, 'coingecko' | 'exchangeRatesUrl'>;

export type ToPage = (path: string, section?: string) => string;

export type Guide = {
  base: string;
  settings: GuideSettings;
  to: ToPage;
};
