import { describe, expect, it } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { SettingsError } from '#core/forms/setting-forms';
import { keptFrom, parseRetention } from '#prices/model/market-sources';
import { readSettings } from '#settings';

describe('the retention of samples', () => {
  it('is set in hours or days for each source', () => {
    expect(parseRetention('coingecko=24h,kraken=365d')).toEqual({ coingecko: DAY, kraken: 365 * DAY });
    expect(parseRetention(' kraken=1h ')).toEqual({ kraken: HOUR });
    expect(readSettings({}).retention).toEqual({});
    expect(readSettings({ MARKET_RETENTION: 'coingecko=2d' }).retention).toEqual({ coingecko: 2 * DAY });
  });

  it.each([
    '24h',
    'coingecko',
    'coingecko=24',
    'coingecko=0h',
    'coingecko=24m',
    'coingecko=24h,',
    'unknown=1d',
    'coingecko=1d,coingecko=2d',
    'toString=1d',
    'coingecko=100000d',
    'coingecko=-1d',
  ])('rejects %s with a one-line error that states the form', (text) => {
    let fault: unknown;
    try {
      readSettings({ MARKET_RETENTION: text });
    } catch (error) {
      fault = error;
    }
    expect(fault).toBeInstanceOf(SettingsError);
    expect((fault as SettingsError).faults).toEqual([
      'MARKET_RETENTION must be a list such as coingecko=24h,kraken=365d: integers with h or d, and each source once (coingecko, kraken, coinbase)',
    ]);
  });

  it('is unlimited for a source that is not listed', () => {
    expect(keptFrom({ coingecko: DAY }, 'coingecko', 5 * DAY)).toBe(4 * DAY);
    expect(keptFrom({ coingecko: DAY }, 'kraken', 5 * DAY)).toBe(Number.NEGATIVE_INFINITY);
  });
});
