import { DAY, isoDate } from '#core/clock';
import { startMailbox } from '#sandbox/mailbox';
import type { Environment, SettingName } from '#settings';

const COMMANDS: readonly { settings: readonly SettingName[]; line: string }[] = [
  { settings: ['DATA_DIR'], line: 'npx quotient users list' },
  { settings: ['DATA_DIR'], line: 'npx quotient archive status' },
  { settings: ['DATA_DIR', 'COINGECKO_URL', 'COINGECKO_PLAN', 'KRAKEN_URL'], line: 'npx quotient tokens add albado' },
  { settings: ['DATA_DIR'], line: 'npx quotient database backup demo.gz' },
];

const quoted = (text: string) => (/^[\w./:@%+-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);

/** The path of the first call, below `/v1`. */
export const FIRST_CALL = 'prices/latest/token?tokenName=bitcoin';

type Guide = {
  url: string;
  /** Undefined if `ADMIN_PORT` is `off`. */
  operatorUrl: string | undefined;
  environment: Environment;
  overridden: readonly SettingName[];
  isReachable: boolean;
  isKept: boolean;
  /** The response of the first call. */
  response: string;
  apiKey: string;
  account: string;
  now: number;
};

/** If the operator's shell sets `DATABASE_URL`, the commands would use another database, so they unset it. */
function operatorCommands({ environment, overridden, isReachable }: Guide): string {
  if (!isReachable)
    return `Operator commands do not work with this demo, because the path of its temporary directory is too long for a Unix socket.\n`;
  const isElsewhere = overridden.includes('DATABASE_URL');
  const lines = COMMANDS.map(({ settings, line }) => {
    const names: readonly SettingName[] = isElsewhere ? ['DATABASE_URL', ...settings] : settings;
    return `  ${names.map((name) => `${name}=${quoted(environment[name] ?? '')}`).join(' ')} ${line}\n`;
  });
  return `To run operator commands with this demo, use another shell:\n\n${lines.join('')}`;
}

export function guide(demo: Guide): string {
  const { url, operatorUrl, environment, overridden, apiKey, account, now, response, isKept } = demo;
  const calls = [
    FIRST_CALL,
    'prices/latest/stats?token=sol',
    'prices/history/days?tokenName=ethereum&days=30',
    `prices/history/date/range?tokenName=solana&fromDate=${isoDate(now - 30 * DAY)}&thruDate=${isoDate(now)}`,
    `node/bank/balances/${account}`,
  ].map((path) => `  curl -H 'X-API-KEY: ${apiKey}' '${url}/v1/${path}'\n`);
  const notice = overridden.length > 0 ? `The demo overrides these settings: ${overridden.join(', ')}.\n\n` : '';
  const operator = operatorUrl
    ? `  Operator's page:  ${operatorUrl}/\n  Admin token:      ${environment.ADMIN_TOKEN}\n`
    : '';
  return `
Quotient is running. ALL DATA IS SYNTHETIC and comes from simulated data sources.

  Console:          ${url}/
  Documentation:    ${url}/docs
  Your API key:     ${apiKey}
                    (the demo's own first calls have used a few of its calls)
${operator}
${calls.join('')}
The first of these calls returns:

  ${response}

To call it with CoinGecko's official SDK (@coingecko/coingecko-typescript):

  new Coingecko({ baseURL: '${url}/api/v3', proAPIKey: '${apiKey}' }).simple.price.get({ ids: 'bitcoin', vs_currencies: 'usd' })

To connect Claude Code to these prices (MCP):

  claude mcp add --transport http quotient ${url}/mcp --header 'X-API-KEY: ${apiKey}'

The demo prints emails here. This call sends an email with a link to a new key:

  curl -H 'Content-Type: application/json' -d '{"email":"demo@example.org"}' '${url}/v1/user/recover'

${operatorCommands(demo)}
The demo sends webhooks to this machine, and accepts calls from pages of development servers on this machine, such as
http://localhost:3000 and http://localhost:5173. WEBHOOK_ALLOW and CORS_ORIGINS set other addresses and origins.

${notice}${isKept ? 'Ctrl-C stops the demo. `--keep` continues with the same key and data.' : 'Ctrl-C stops the demo and deletes its data. With `npm run demo -- --keep`, the data is kept.'}
`;
}

export const printMails = () =>
  startMailbox(({ to, headers, text }) => {
    process.stdout.write(`\n--- Email to ${to}: ${headers.subject} ---\n\n${text}\n\n---\n`);
  });
