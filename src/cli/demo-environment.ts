import { randomBytes } from 'node:crypto';
import type { Sandbox } from '#sandbox/server';
import { type Environment, SETTING_NAMES } from '#settings';
import { UNKNOWN_ORIGIN } from './demo-guide.ts';

/** The simulated node's own API serves as the block explorer. */
const EXPLORER_PATHS = {
  cosmos: { transaction: '/cosmos/tx/v1beta1/txs/{hash}', address: '/cosmos/auth/v1beta1/accounts/{address}' },
  legacy: { transaction: '/txs/{hash}', address: '/auth/accounts/{address}' },
};
export type Dialect = keyof typeof EXPLORER_PATHS;
export const isDialect = (text: string): text is Dialect => Object.hasOwn(EXPLORER_PATHS, text);

type StandIns = { sandbox: Sandbox; dialect: Dialect; mailUrl: string; dataDir: string };

function fixedSettings(given: Environment, { sandbox, dialect, mailUrl, dataDir }: StandIns): Environment {
  const nodeUrl = dialect === 'cosmos' ? sandbox.cosmosNodeUrl : sandbox.legacyNodeUrl;
  const { EXCHANGE_RATES_URL, NODE_DIALECT = 'auto' } = given;
  return {
    DATABASE_URL: '',
    DATA_DIR: dataDir,
    COINGECKO_URL: sandbox.coingeckoUrl,
    COINGECKO_API_KEY: '',
    COINGECKO_PLAN: 'pro',
    KRAKEN_URL: sandbox.krakenUrl,
    EXCHANGE_RATES_URL: EXCHANGE_RATES_URL === 'off' ? 'off' : sandbox.exchangeRatesUrl,
    CRYPTOCOMPARE_URL: sandbox.cryptocompareUrl,
    // CryptoCompare requires a key for two of the chains.
    CRYPTOCOMPARE_API_KEY: 'demo',
    SOLANA_RPC_URL: sandbox.solanaUrl,
    ARWEAVE_URL: sandbox.arweaveUrl,
    BITCOIN_STATS_URL: sandbox.bitcoinUrl,
    ETHEREUM_STATS_URL: sandbox.ethereumUrl,
    ETHEREUM_STATS_API_KEY: '',
    NODE_URLS: nodeUrl,
    NODE_DIALECT: NODE_DIALECT === 'auto' ? 'auto' : dialect,
    NODE_CHAIN_ID: sandbox.chain.chainId,
    EXPLORER_TX_URL: nodeUrl + EXPLORER_PATHS[dialect].transaction,
    EXPLORER_ADDRESS_URL: nodeUrl + EXPLORER_PATHS[dialect].address,
    SMTP_URL: mailUrl,
  };
}

/** Request logs have the level `info`, so the demo sets no log level if `LOG_REQUESTS` is set. */
const defaultsFor = ({ BASE_PATH = '', LOG_REQUESTS }: Environment): Environment => ({
  MAIL_FROM: 'Quotient <demo@example.org>',
  PUBLIC_URL: UNKNOWN_ORIGIN + BASE_PATH,
  LOG_LEVEL: LOG_REQUESTS === undefined ? 'error' : '',
  ADMIN_PORT: '0',
  ADMIN_TOKEN: randomBytes(16).toString('hex'),
});

/** Returns the operator's settings with the demo's changes. `overridden` lists the operator's settings that change. */
export function demoEnvironment(given: Environment, standIns: StandIns) {
  const fixed = fixedSettings(given, standIns);
  return {
    environment: { ...defaultsFor(given), ...given, ...fixed },
    overridden: SETTING_NAMES.filter(
      (name) => given[name] !== undefined && fixed[name] !== undefined && given[name] !== fixed[name],
    ),
  };
}
