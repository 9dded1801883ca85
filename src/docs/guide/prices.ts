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
  const example = exampleOf(schema, schema.$defs as NamedSchemas);
  return `Send the key in the \`X-API-KEY\` header of every request.

${fenced('sh', `KEY=${EXAMPLE_KEY}\ncurl -i -H "X-API-KEY: $KEY" '${url}'`)}

In JavaScript:

${fenced('js', samples.javascript)}

In Python:

${fenced('python', samples.python)}

The response contains the price, the market cap, and the all-time high and low. The response headers contain the age of the data and the number of remaining calls.

${fenced('json', JSON.stringify(example, null, 2))}

\`GET /v1/prices/latest/tokens\` returns the latest prices of up to 100 tokens, each with its 24-hour change. \`change_24h\` is the change in percent since the sample nearest to 24 hours ago. It is null if no sample exists within 30 minutes of that time.

Clients that cannot send this header can use \`Authorization\`. Send the key as a Bearer token. You can also use Basic, with the key as the user name and an empty password (\`curl -u "$KEY:"\`, or a URL like \`${base.replace('://', `://${EXAMPLE_KEY}:@`)}/v1/node\`). \
A request with two different keys is rejected with 400.`;
}

const currencies = (hasRates: boolean) =>
  hasRates
    ? '`eur` and the other reference currencies of the European Central Bank, `btc` and `eth`. Each amount is converted at the rate of its own date'
    : '`btc` and `eth`';

export const history = (
  base: string,
  { exchangeRatesUrl }: Pick<GuideSettings, 'exchangeRatesUrl'>,
) => `\`/v1/prices/history/…\` accepts a date, a number of days, or a range of dates. \
With \`Accept: text/csv\` or \`format=csv\`, the response is CSV, at the same cost. The columns are \`${CSV_HEADER}\`. If the data comes from several sources, the CSV also has the column \`source\`. For spreadsheets with a decimal comma, add \`separator=semicolon\`.
\`/v1/prices/history/ohlc\` returns Kraken's five-minute, hourly or daily candles. The date of a candle is the start of its interval.

To get amounts in another currency, set \`currency\` (or \`vs_currency\`) in any price request. The supported currencies are ${currencies(exchangeRatesUrl !== undefined)}. The response names the currency in the header \`Quotient-Currency\`, and CSV also in the last column.

The last 30 days as CSV:

\`\`\`sh
curl -H "X-API-KEY: $KEY" -H 'Accept: text/csv' \\
  '${base}/v1/prices/history/days?tokenName=ethereum&days=30'
\`\`\`

The hourly prices of a week, saved to a CSV file. The dates have the format YYYY-MM-DD. Both dates are included. For a single day, use the same date twice.

\`\`\`sh
curl -H "X-API-KEY: $KEY" -o ethereum.csv \\
  '${base}/v1/prices/history/date/range?tokenName=ethereum&fromDate=2026-01-25&thruDate=2026-01-31&interval=hourly&format=csv'
\`\`\`

The price at 00:00 UTC of one date. This endpoint expects \`date\` in the format DD-MM-YYYY:

\`\`\`sh
curl -H "X-API-KEY: $KEY" '${base}/v1/prices/history/date?tokenName=ethereum&date=31-01-2026&format=csv'
\`\`\``;

export const DATES = `All dates and times are in UTC. Each kind of record has one format:

* Prices and history (\`date\`, \`at\`, \`ath_date\`, \`atl_date\`): an HTTP-date (RFC 9110), such as \`Mon, 01 Jan 2024 00:00:00 GMT\`. The original interface specification uses this format. The API keeps it for compatibility.
* Users, keys and usage: ISO 8601 with milliseconds, such as \`2026-01-31T12:00:00.000Z\`.
* On-chain statistics: \`time\` in Unix seconds.
* CSV: \`2026-11-21\` for midnight, \`2026-11-21 13:05:00\` for any other time. Spreadsheets recognize both.
* Parameters: YYYY-MM-DD, except \`date\` in \`/v1/prices/history/date\`, which is DD-MM-YYYY.`;

export const javascriptClient = (
  base: string,
) => `\`quotient-client\` is a client library for JavaScript and TypeScript, in browsers and in Node 18 or newer. It has a method for each endpoint and types for every response. It returns dates as \`Date\` objects and can broadcast signed transactions. The library is not published to a package registry. The operator of this service can build it from the source code and send you the file.

\`\`\`sh
npm run build:client && npm pack ./dist/client    # the operator, in a checkout of the service
npm install ./quotient-client-0.1.0.tgz           # the user, in a project
\`\`\`

\`\`\`js
import { QuotientClient } from 'quotient-client';

const client = new QuotientClient({ baseUrl: '${base}', apiKey: '${EXAMPLE_KEY}' });
const price = await client.latestPrice('bitcoin');
console.log(price.current_price);
\`\`\`

Any other HTTP client works too. See the JavaScript and Python samples.`;
