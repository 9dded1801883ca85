import { expect, test } from 'vitest';
import type { SettingsError } from '#core/forms/setting-forms';
import { readSettings } from '#settings';

test.each(['COINGECKO_API_KEY', 'CRYPTOCOMPARE_API_KEY', 'ETHEREUM_STATS_API_KEY'])(
  '%s must be a valid header value, and is not in the error',
  (name) => {
    for (const key of ['se cret', 'sec\nret', 'sécret']) {
      let fault: unknown;
      try {
        readSettings({ [name]: key });
      } catch (error) {
        fault = error;
      }
      expect((fault as SettingsError).faults).toEqual([
        `${name} must contain only printable ASCII characters, without spaces`,
      ]);
    }
    expect(() => readSettings({ [name]: 'CG-secret_1' })).not.toThrow();
  },
);
