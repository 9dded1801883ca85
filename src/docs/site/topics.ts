/**
 * A page from a Markdown file of the repository. It starts at the section `from` and ends where the file's next page
 * starts, so that a new section needs no line here.
 */
export type Topic = { path: string; title: string; summary: string; file: string; from?: string };

const CLIENT = 'packages/client/README.md';
const KEYS = 'docs/keys-and-allowances.md';
const OPERATING = 'docs/operating.md';
const PRICES = 'docs/prices.md';

/** For users. In their examples, the placeholder replaces the origin. */
export const USER_TOPICS: readonly Topic[] = [
  {
    path: 'api',
    title: 'API',
    file: 'docs/api.md',
    summary: 'Endpoints, parameters, dates, CSV, caching, headers, errors and limits',
  },
  {
    path: 'plans',
    title: 'Plans and allowances',
    file: KEYS,
    summary: 'Plans, the cost of a call, expiry, renewal, usage and 429 responses',
  },
  {
    path: 'keys',
    title: 'Keys',
    file: KEYS,
    from: 'sending-the-key',
    summary: 'Sending a key, scopes, use in a web page, replaced, leaked and lost keys',
  },
  {
    path: 'prices',
    title: 'Prices and sources',
    file: PRICES,
    summary: 'The sources of prices, the age of a price, and failures of a source',
  },
  {
    path: 'history',
    title: 'History, candles and currencies',
    file: PRICES,
    from: 'price-on-a-date',
    summary: 'Prices on a date, series, candles, currencies and on-chain statistics',
  },
  {
    path: 'streaming',
    title: 'Price stream',
    file: 'docs/streaming.md',
    summary: 'Latest prices as they change, as server-sent events',
  },
  {
    path: 'webhooks',
    title: 'Webhooks',
    file: 'docs/webhooks.md',
    summary: 'Notices about the allowance and the expiry of keys',
  },
  {
    path: 'request-log',
    title: 'Request log',
    file: 'docs/request-log.md',
    summary: 'The last 100 requests of a user, with the reason why a request was rejected',
  },
  {
    path: 'client',
    title: 'JavaScript client',
    file: CLIENT,
    summary: 'A typed client for browsers and Node',
  },
  {
    path: 'mcp',
    title: 'AI agents',
    file: 'docs/mcp.md',
    summary: 'Tools for AI agents, with the Model Context Protocol',
  },
  {
    path: 'node',
    title: 'Node',
    file: 'docs/node.md',
    summary: 'Balances, transactions and broadcasts through a Cosmos SDK node',
  },
  {
    path: 'sign-with-cosmjs',
    title: 'Sign with CosmJS',
    file: 'docs/sign-with-cosmjs.md',
    summary: 'A transfer that a wallet signs',
  },
  {
    path: 'legacy-wallets',
    title: 'Legacy wallet libraries',
    file: 'docs/legacy-wallets.md',
    summary: 'Wallet libraries that accept only a URL',
  },
];

export const OPERATOR_TOPICS: readonly Topic[] = [
  {
    path: 'install',
    title: 'Install and run',
    file: 'docs/getting-started.md',
    summary: 'Requirements, the demo, real prices and Docker',
  },
  {
    path: 'settings',
    title: 'Settings',
    file: 'docs/settings.md',
    summary: 'All environment variables with their defaults',
  },
  {
    path: 'users',
    title: 'Users',
    file: KEYS,
    from: 'restricting-registration',
    summary: 'Restricting registration, and the commands that manage users',
  },
  {
    path: 'tokens',
    title: 'Tokens and market data',
    file: PRICES,
    from: 'tokens',
    summary: 'Adding tokens, the call budget, imports, terms and deletion',
  },
  {
    path: 'operating',
    title: 'Processes and commands',
    file: OPERATING,
    summary: 'Several processes, commands, sizing and containers',
  },
  {
    path: 'databases',
    title: 'Databases',
    file: OPERATING,
    from: 'the-database',
    summary: 'PostgreSQL, poolers, high availability, backup and restore',
  },
  {
    path: 'upgrades',
    title: 'Upgrades and stops',
    file: OPERATING,
    from: 'upgrades',
    summary: 'Upgrades without downtime, rolling back, and stopping',
  },
  {
    path: 'administration',
    title: 'Administration',
    file: OPERATING,
    from: 'secrets',
    summary: 'Secrets, retention, the operator API and page, and email',
  },
  {
    path: 'monitoring',
    title: 'Monitoring',
    file: OPERATING,
    from: 'metrics',
    summary: 'Metrics, the status page, the call budget, traces and the log',
  },
  {
    path: 'alerts',
    title: 'Alert runbook',
    file: OPERATING,
    from: 'alerts',
    summary: 'The cause and the remedy of each alert',
  },
  {
    path: 'figures',
    title: 'Figures',
    file: 'docs/figures.md',
    summary: 'Measurements, with their targets and the machine',
  },
];

export const TOPICS: readonly Topic[] = [...USER_TOPICS, ...OPERATOR_TOPICS];
