import { PLAN_NAMES, PLANS } from '#accounts/ledger/plan';
import { HEADERS } from '#docs/openapi/described-headers';
import { count, every, fenced, type GuideSettings } from './rules.ts';

const PERIODS = { 1: 'a month', 12: 'a year' } as const;

export function limits({ burstPerSecond }: GuideSettings): string {
  const plans = PLAN_NAMES.map((plan) => {
    const { limit, months } = PLANS[plan];
    return `\`${plan}\` allows ${count(limit, 'call')} ${PERIODS[months]}`;
  });
  const burst =
    burstPerSecond > 0
      ? `You can send ${count(burstPerSecond, 'request')} a second to one process. The limit applies to all your keys together, and free requests count too. Further requests receive 429 \`rate_limited\`.`
      : 'The number of requests per second is not limited.';
  return `${plans.join('; ')}. The operator can set a different limit for you. Periods start when you register, or \
when you renew an expired key. Each 2xx response from a path under \`/v1/prices\` costs one call, except \`/v1/prices/latest/tokens\`, which costs one call for every ten tokens, rounded up. \
Responses with 304, 4xx and 5xx are free, and so are the endpoints for users, tokens and the node.

* \`RateLimit-Policy: ${HEADERS['RateLimit-Policy'].example}\` states the allowance, \`q\` calls in a period of \`w\` seconds, and the burst limit. \`RateLimit: \
${HEADERS.RateLimit.example}\` states the number of remaining calls, \`r\`, and the number of seconds until the period ends, \`t\`. A 429 response contains both headers.
* If fewer calls remain than a request costs, the response is 429 \`quota_exceeded\`. \`Retry-After\` contains the number of seconds to wait.
* ${burst}
* \`GET /v1/user/usage\` returns the calls of each day, and is free.`;
}

export const TOO_MANY_REQUESTS = `Read \`code\`, and wait for the number of seconds in \`Retry-After\`. A 429 response has one of two causes:

* \`quota_exceeded\`: No calls are left in your period, or fewer than the request costs. \`GET /v1/user/usage\` returns the start of the next period (\`resetsAt\`), and is free.
* \`rate_limited\`: You sent too many requests in a short time. Spread them over time. Free requests count too.

To use fewer calls, request several tokens with one call to \`/v1/prices/latest/tokens\`, send \`If-None-Match\`, and cache each response for as long as \`Cache-Control\` allows.`;

export function freshness(base: string, { coingecko: { schedule } }: GuideSettings): string {
  return `While clients request them, the latest prices are fetched ${every(schedule.latest)} and the chart of the last day \
${every(schedule.chart)}, or less often when the upstream call budget runs low. While CoinGecko is unavailable, the service returns Kraken's prices or the last good \
response. \`Age\` is the age of the data in seconds.

* \`Cache-Status: ${HEADERS['Cache-Status'].example}\` states whether the response came from the cache. \`ttl\` is the number of seconds \
until the next refresh, and is negative if the refresh is overdue. With \`fwd=stale\`, \`detail\` contains the reason.
* \`ETag\` identifies the content of the response. \`Last-Modified\` is the time of its newest sample.
* \`Cache-Control\` states how long to cache the response, counted from the fetch. Subtract \`Age\`. Data that never changes is \`immutable\`.
* \`Quotient-Gaps\` lists the parts of a history that are not available. \`Quotient-Source\` names \
the sources of the data. \`GET /v1/sources\` returns their terms and the attribution to show.

To download only changed data, send the \`ETag\` of your last response in \`If-None-Match\`, or its \`Last-Modified\` in \`If-Modified-Since\`. \
If the data is unchanged, the response is 304, without a body and free of charge. Use your stored response.

${fenced(
  'sh',
  `curl -i -H "X-API-KEY: $KEY" -H 'If-None-Match: ${HEADERS.ETag.example}' \\
  '${base}/v1/prices/latest/token?tokenName=bitcoin'`,
)}

${fenced('text', `HTTP/1.1 304 Not Modified\nETag: ${HEADERS.ETag.example}`)}`;
}
