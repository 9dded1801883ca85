import { beforeAll, describe, expect, it } from 'vitest';
import { createTestClock } from '../../fixtures/clock.ts';
import { type Document, published } from '../../fixtures/published.ts';
import { startService } from '../support/service/service.ts';
import { LINTERS } from './linters.ts';

/* The description as services with other settings publish it, including at the turn of months and years. */

type Settings = NonNullable<NonNullable<Parameters<typeof startService>[0]>['settings']>;

const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'quotient@example.org' };

/** Settings that affect the description. `demo` is the configuration of `npm run demo`. */
const SETTINGS: Record<string, Settings> = {
  plain: {},
  'without exchange rates': { EXCHANGE_RATES_URL: 'off' },
  'with verified registration': {
    ...MAIL,
    PUBLIC_URL: 'https://quotient.example.org/market',
    BASE_PATH: '/market',
    REGISTRATION: 'verified',
    REGISTRATIONS_PER_MINUTE: '0',
    BURST_PER_SECOND: '0',
    CORS_ORIGINS: '*',
  },
  'without registration, of one source': { REGISTRATION: 'closed', MARKET_SOURCES: 'coingecko' },
  demo: (sandbox) => ({
    ...MAIL,
    PUBLIC_URL: 'http://127.0.0.1:8080',
    COINGECKO_PLAN: 'pro',
    CRYPTOCOMPARE_URL: sandbox.cryptocompareUrl,
    CRYPTOCOMPARE_API_KEY: 'demo',
    NODE_URLS: sandbox.cosmosNodeUrl,
    EXPLORER_TX_URL: `${sandbox.cosmosNodeUrl}/cosmos/tx/v1beta1/txs/{hash}`,
    EXPLORER_ADDRESS_URL: `${sandbox.cosmosNodeUrl}/cosmos/auth/v1beta1/accounts/{address}`,
  }),
};

const NOON = '2026-05-15T12:00:00Z';
const MOMENTS = ['2026-11-01T00:00:00Z', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:30Z', '2028-02-29T12:00:00Z'];

async function describedBy(settings: Settings, at: string): Promise<string> {
  const service = await startService({ settings, clock: createTestClock(at) });
  try {
    return await (await service.get('/openapi.json')).text();
  } finally {
    await service.close();
  }
}

describe.each(Object.entries(SETTINGS))('a service %s', (name, settings) => {
  let text: string;
  beforeAll(async () => {
    text = await describedBy(settings, NOON);
  });

  it.each(Object.entries(LINTERS))('publishes a description in which %s finds no fault', async (_, lint) => {
    expect(await lint(JSON.parse(text) as Document)).toEqual([]);
  });

  it('accepts its own parameter examples', () => {
    const { document, pointerTo, schemaFaults } = published(JSON.parse(text) as Document);
    const faults: string[] = [];
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { parameters = [] }] of Object.entries(operations)) {
        for (const [index, { name, example }] of parameters.entries()) {
          if (example === undefined) continue;
          const pointer = pointerTo('paths', path, method, 'parameters', String(index), 'schema');
          faults.push(...schemaFaults(pointer, example).map((fault) => `${path} ${name}${fault}`));
        }
      }
    }
    expect(faults).toEqual([]);
  });

  if (name === 'without exchange rates')
    it('offers no currency that requires them', () => {
      expect(text).not.toMatch(/`eur`|"eur"|European Central Bank's/);
    });

  if (name === 'plain' || name === 'demo')
    it.each(MOMENTS)('publishes the same description at %s', async (moment) => {
      const at = await describedBy(settings, moment);
      // The stand-ins' ports differ.
      const withoutPorts = (one: string) => one.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1');
      expect(withoutPorts(at)).toBe(withoutPorts(text));
    });
});
