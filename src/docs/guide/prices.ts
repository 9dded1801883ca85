import { z } from 'zod';
import { exampleOf, type NamedSchemas, type Schema } from '#docs/openapi/schemas';
import { callSamples, EXAMPLE_KEY } from '#docs/reference/code-samples';
import { CSV_HEADER } from '#prices/history/series-text';
import { latestPrice } from '#prices/model/records';
import { fenced, type GuideSettings } from './rules.ts';

export function firstCall(base: string): string {
  const url = `${base}/v1/prices/latest/token?tokenName=bitcoin`;
  const samples = callSamples({ method: 'GET', url, headers: { 'X-API-KEY': EXAMPLE_KEY } });
  const schema = z.toJSONSchema(latestPrice) as Schema;
  const answer = exampleOf(schema, schema.$defs as NamedSchemas);
  return `Send the key in the header \`X-API-KEY\` with every call.

${fenced('sh', `KEY=${EXAMPLE_KEY}\ncurl -i -H "X-API-KEY: $KEY" '${url}'`)}

In JavaScript:

${fenced('js', samples.javascript)}

In Python:

${fenced('python', samples.python)}

The answer has the price, the market cap, and the all-time high and low; its headers have the age of the figures and the number of calls that you have left.

${fenced('json', JSON.stringify(answer, null, 2))}

\`GET /v1/prices/latest/tokens\` has up to 100 tokens in one call, and the change of each in 24 hours, \`change_24h\`: in per cent, against the \
sample nearest to 24 hours ago, and null when none is within 30 minutes of that.

Where a client can send no such header, the key is taken from \`Authorization\` too: as Bearer token, or with Basic as the user \
name, the password being empty (\`curl -u "$KEY:"\`, or a URL like \`${base.replace('://', `://${EXAMPLE_KEY}:@`)}/v1/node\`). \
Two that differ are refused.`;
}

const currencies = (hasRates: boolean) =>
  hasRates
    ? "`eur` and the other reference currencies of the European Central Bank, at the rate of each figure's own date, or `btc` and `eth`"
    : '`btc` or `eth`';

export const history = (
  base: string,
  { exchangeRatesUrl }: Pick<GuideSettings, 'exchangeRatesUrl'>,
) => `\`/v1/prices/history/…\` takes a date, a number of days back, or a range of dates. \
With \`Accept: text/csv\` or \`format=csv\` the answer is CSV for a spreadsheet, for the same charge, with the columns \`${CSV_HEADER}\`, \
and \`source\` where several sources have told it.
\`/v1/prices/history/ohlc\` has candles of Kraken in place of samples, of five minutes, an hour or a day, each at its beginning.

With \`currency\` (or \`vs_currency\`) any price path returns its figures in another currency: ${currencies(exchangeRatesUrl !== undefined)}. \
\`Quotient-Currency\` names it, and CSV in another currency than the US dollar has it as its last column.

The last 30 days as CSV:

\`\`\`sh
curl -H "X-API-KEY: $KEY" -H 'Accept: text/csv' \\
  '${base}/v1/prices/history/days?tokenName=ethereum&days=30'
\`\`\`

The hourly prices of a week as CSV, in a file: a range with \`interval=hourly\`, its days written YYYY-MM-DD and both included. For one day, \
such as yesterday, give the same date twice.

\`\`\`sh
curl -H "X-API-KEY: $KEY" -o ethereum.csv \\
  '${base}/v1/prices/history/date/range?tokenName=ethereum&fromDate=2026-01-25&thruDate=2026-01-31&interval=hourly&format=csv'
\`\`\`

The price of one day, at its midnight (UTC); the \`date\` of this path is written DD-MM-YYYY:

\`\`\`sh
curl -H "X-API-KEY: $KEY" '${base}/v1/prices/history/date?tokenName=ethereum&date=31-01-2026&format=csv'
\`\`\``;

export const DATES = `All dates and times are in UTC. Each kind of record has one format:

* Prices and history (\`date\`, \`at\`, \`ath_date\`, \`atl_date\`): an HTTP-date (RFC 9110), such as \`Mon, 01 Jan 2024 00:00:00 GMT\`. The original \
interface specification has these members in this format, and the API keeps it so that programs written for that specification go on working. Date parsers of most languages accept it.
* Users, keys and usage: ISO 8601 with milliseconds, such as \`2026-01-31T12:00:00.000Z\`.
* On-chain statistics: \`time\` in Unix seconds.
* CSV: \`2026-11-21\` for a midnight, otherwise \`2026-11-21 13:05:00\`, so that spreadsheets recognize them as times.
* Parameters: YYYY-MM-DD, except \`date\` of \`/v1/prices/history/date\`, which is DD-MM-YYYY.`;

export const javascriptClient = (
  base: string,
) => `\`quotient-client\` is a client library for JavaScript and TypeScript, in browsers and in Node from 18: it \
has a method for each path, types for every answer, dates as \`Date\`, and signs transactions for the node. It is on no \
registry: the operator of this service has it, builds it from the source of the service, and can give it to you as a file.

\`\`\`sh
npm run build:client && npm pack ./dist/client    # the operator, in the source of the service
npm install ./quotient-client-0.1.0.tgz           # you, in your project
\`\`\`

\`\`\`js
import { QuotientClient } from 'quotient-client';

const client = new QuotientClient({ baseUrl: '${base}', apiKey: '${EXAMPLE_KEY}' });
const price = await client.latestPrice('bitcoin');
console.log(price.current_price);
\`\`\`

Without it, any HTTP client will do: the calls are plain, as the samples in JavaScript and Python show.`;
