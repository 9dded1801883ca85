import type { Sandbox } from '#sandbox/server';
import { type Environment, SETTING_NAMES } from '#settings';

/** The simulated node's own API serves as the block explorer. */
const EXPLORER_PATHS = {
  cosmos: { transaction: '/cosmos/tx/v1beta1/txs/{hash}', address: '/cosmos/auth/v1beta1/accounts/{address}' },
  legacy: { transaction: '/txs/{hash}', address: '/auth/accounts/{address}' },
};

export type Dialect = keyof typeof EXPLORER_PATHS;

type StandIns = { sandbox: Sandbox; dialect: Dialect; mailUrl: string; dataDir: string };

/** The ports of common development servers. */
const PAGE_PORTS = [3000, 4173, 4200, 5000, 5173, 8000, 8081, 8888];
const LOCAL_ORIGINS = PAGE_PORTS.flatMap((port) => [`http://localhost:${port}`, `http://127.0.0.1:${port}`]).join();

function fixedSettings(shell: Environment, { sandbox, dialect, mailUrl, dataDir }: StandIns): Environment {
  const nodeUrl = dialect === 'cosmos' ? sandbox.cosmosNodeUrl : sandbox.legacyNodeUrl;
  const { EXCHANGE_RATES_URL, NODE_DIALECT = 'auto' } = shell;
  return {
    DATABASE_URL: '',
    DATA_DIR: dataDir,
    COINGECKO_URL: sandbox.coingeckoUrl,
    COINGECKO_API_KEY: '',
    COINGECKO_PLAN: 'pro',
    KRAKEN_URL: sandbox.krakenUrl,
    COINBASE_URL: sandbox.coinbaseUrl,
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
    NODE_RPC_URLS: sandbox.rpcNodeUrl,
    NODE_CHAIN_ID: sandbox.chain.chainId,
    EXPLORER_TX_URL: nodeUrl + EXPLORER_PATHS[dialect].transaction,
    EXPLORER_ADDRESS_URL: nodeUrl + EXPLORER_PATHS[dialect].address,
    SMTP_URL: mailUrl,
  };
}

/** Links and URL keys contain the port, so it is chosen before the service starts. */
type DemoSettings = Environment & { readonly PORT: string };

/** Request logs have the level `info`, so the demo sets no log level if `LOG_REQUESTS` is set. */
const defaultsFor = ({ PORT, BASE_PATH = '', LOG_REQUESTS }: DemoSettings): Environment => ({
  MAIL_FROM: 'Quotient <demo@example.org>',
  PUBLIC_URL: `http://127.0.0.1:${PORT}${BASE_PATH}`,
  LOG_LEVEL: LOG_REQUESTS === undefined ? 'error' : '',
  WEBHOOK_ALLOW: '127.0.0.0/8, ::1',
  CORS_ORIGINS: LOCAL_ORIGINS,
  METRICS_PORT: 'off',
  ADMIN_PORT: '0',
});

export function demoEnvironment(shell: DemoSettings, standIns: StandIns) {
  const fixed = fixedSettings(shell, standIns);
  return {
    environment: { ...defaultsFor(shell), ...shell, ...fixed },
    overridden: SETTING_NAMES.filter(
      (name) => shell[name] !== undefined && fixed[name] !== undefined && shell[name] !== fixed[name],
    ),
  };
}
