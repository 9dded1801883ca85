import { createTestClock } from '../../fixtures/clock.ts';
import { startService } from '../support/service/service.ts';

type Settings = NonNullable<NonNullable<Parameters<typeof startService>[0]>['settings']>;

const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'quotient@example.org' };

/** Settings that affect the description. `demo` is the configuration of `npm run demo`. */
export const SETTINGS: Record<string, Settings> = {
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

/** The description that a service with these settings publishes. */
export async function describedBy(settings: Settings, at = NOON): Promise<string> {
  const service = await startService({ settings, clock: createTestClock(at) });
  try {
    return await (await service.get('/openapi.json')).text();
  } finally {
    await service.close();
  }
}
