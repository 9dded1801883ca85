import { type Answer, jsonReply } from './upstream.ts';

const json = (status: number, body: unknown) => jsonReply(status, body, { 'cache-control': 'no-cache' });
const stamp = (now: number) => new Date(now).toISOString().replace('Z', '+00:00');
export const coinNotFound = () => json(404, { error: 'coin not found' });

export const incorrectPath = () => json(404, { error: 'Incorrect path. Please check https://www.coingecko.com/api/' });

const planStatus = (now: number, error_code: number, error_message: string) => ({
  status: { timestamp: stamp(now), error_code, error_message },
});

/** Error 10012: the requested time is before the start of the plan's history. */
export const beyondReach = (now: number, days: number) => {
  const message = `Your request exceeds the allowed time range. Public API users are limited to querying historical data within the past ${days} days. Upgrade to a paid plan to enjoy full historical data access: https://www.coingecko.com/en/api/pricing. `;
  return json(401, { error: planStatus(now, 10012, message) });
};

/** Error 10011: a demo key was sent to the host of the paid plans. */
export const demoKeyOnPro = (now: number) =>
  json(400, {
    timestamp: stamp(now),
    error_code: 10011,
    status: {
      error_message:
        'If you are using Demo API key, please change your root URL from pro-api.coingecko.com to api.coingecko.com Please refer here for more details: https://docs.coingecko.com/v3.0.1/reference/introduction',
    },
  });

/** Error 10002: a request to the host of the paid plans has no key. */
export const missingKey = (now: number) => json(401, planStatus(now, 10002, 'API Key Missing'));

/** Error 10005: the call requires a paid plan. */
export const paidPlansOnly = (now: number) =>
  json(401, planStatus(now, 10005, 'This request is limited to PRO API subscribers.'));

/** CoinGecko has also sent this error with HTTP 200. */
export const rateLimited = (status: 200 | 429) => {
  const error_message =
    "You've exceeded the Rate Limit. Please visit https://www.coingecko.com/en/api/pricing to subscribe to our API plans for higher rate limits.";
  return json(status, { status: { error_code: 429, error_message } });
};

/** The HTML page that CoinGecko's CDN sometimes sends instead of JSON. */
export const edgePage = (status: number, title: string): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=UTF-8', 'cache-control': 'no-store' },
  body: `<!DOCTYPE html>
<html class="no-js" lang="en-US">
<head>
<title>${title} | api.coingecko.com</title>
<meta charset="UTF-8" />
<meta name="robots" content="noindex, nofollow" />
</head>
<body>
<div id="cf-wrapper"><h1>Error</h1><h2>${title}</h2><p>Cloudflare Ray ID: 0000000000000000</p></div>
</body>
</html>
`,
});

/** CoinGecko's plans. `/key` returns `name` and the members that follow it only for a paid key. */
export const PLANS = {
  public: { historyDays: 365 },
  demo: { historyDays: 365 },
  basic: { historyDays: 730, name: 'Basic', perMinute: 250, perMonth: 100_000 },
  pro: { historyDays: Number.POSITIVE_INFINITY, name: 'Analyst', perMinute: 500, perMonth: 500_000 },
} as const;

export type PlanName = keyof typeof PLANS;

// Node 24 has `rawJSON`, but the compiler's es2024 library does not declare it.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** A number in Ruby's notation: `21000000.0`, `3.5e-05`, `1.0e+16`. */
export function rubyFloat(value: number): unknown {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [mantissa = '0', exponent = '+0'] = value.toExponential().split('e');
    const digits = exponent.slice(1).padStart(2, '0');
    return rawJSON(`${mantissa.includes('.') ? mantissa : `${mantissa}.0`}e${exponent[0]}${digits}`);
  }
  // Ruby keeps the sign of a negative value that rounds to zero. `String()` drops the sign.
  if (Object.is(value, -0)) return rawJSON('-0.0');
  return rawJSON(Number.isInteger(value) ? `${value}.0` : String(value));
}
