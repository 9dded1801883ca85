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
      ? `Each process of the service accepts up to ${count(burstPerSecond, 'request')} per second from you. The limit applies to all your keys together. Free requests count too. Requests over the limit are rejected with 429 \`rate_limited\`.`
      : 'The number of requests per second is not limited.';
  return `${plans.join('; ')}. The operator can set a different limit for you. Your first period starts when you register. If you renew an expired key, a new period starts. Each 2xx response from a path under \`/v1/prices\` costs one call. There are two exceptions: \`/v1/prices/latest/tokens\` costs one call for every ten tokens, rounded up, and \`/v1/prices/stream\` costs the same for each started minute. Responses with 304, 4xx and 5xx are free. The endpoints for users, tokens and the node are also free.

* \`RateLimit-Policy: ${HEADERS['RateLimit-Policy'].example}\` states the limits. The allowance (\`plan\`) is \`q\` calls in a period of \`w\` seconds, and the burst limit (\`burst\`) is \`q\` requests per second. \`RateLimit: \
${HEADERS.RateLimit.example}\` states the number of remaining calls (\`r\`) and the number of seconds until the period ends (\`t\`). A 429 response also contains both headers.
* If a request costs more calls than remain, the response is 429 \`quota_exceeded\`. \`Retry-After\` contains the number of seconds to wait.
* A key can also have a limit per UTC day, its \`dailyLimit\`. Beyond this limit, the response is 429 \`key_limit_exceeded\`; your other keys are not affected.
* ${burst}
* \`GET /v1/user/usage\` returns the number of calls per day. This call is free. \`?by=key\` and \`?by=path\` break the calls down.`;
}

export const TOO_MANY_REQUESTS = `Wait for the number of seconds in \`Retry-After\`. The member \`code\` in the response contains the cause:

* \`quota_exceeded\`: The request costs more calls than remain in your period. \`GET /v1/user/usage\` returns the start of the next period (\`resetsAt\`). This call is free.
* \`key_limit_exceeded\`: The key has used its calls for this UTC day. Use another key, or change its limit with the owner key.
* \`rate_limited\`: You sent too many requests in a short time. Spread them over time. Free requests count too.
* \`too_many_streams\`: You have too many open price streams. Close one, or request more tokens in one stream.

To use fewer calls, request several tokens with one call to \`/v1/prices/latest/tokens\`. Send \`If-None-Match\`. Cache each response for as long as \`Cache-Control\` allows.`;

export function freshness(base: string, { coingecko: { schedule } }: GuideSettings): string {
  return `The service fetches data only while clients request it: the latest prices ${every(schedule.latest)}, and the chart of the last day ${every(schedule.chart)}. When the upstream call budget runs low, the service fetches less often. While CoinGecko is unavailable, the service returns Kraken's prices or the last good response. \`Age\` is the age of the data in seconds.

* \`Cache-Status: ${HEADERS['Cache-Status'].example}\` states whether the response came from the cache. \`ttl\` is the number of seconds until the next refresh. A negative \`ttl\` means that the refresh is overdue. With \`fwd=stale\`, \`detail\` contains the reason.
* \`ETag\` identifies the content of the response. \`Last-Modified\` is the time of its newest sample.
* \`Cache-Control\` states how long to cache the response. \`max-age\` starts when the service fetches the data: subtract \`Age\` to get the remaining time. Data that never changes is \`immutable\`.
* \`Quotient-Gaps\` lists the periods of a history for which no data is available.
* \`Quotient-Source\` names the sources of the data. \`GET /v1/sources\` returns their terms and the attribution to show.

To download only changed data, send the \`ETag\` of your last response in \`If-None-Match\`, or its \`Last-Modified\` in \`If-Modified-Since\`. \
If the data is unchanged, the response is 304, without a body and free of charge. Use your stored response. If no calls are left, the response is 429 instead.

${fenced(
  'sh',
  `curl -i -H "X-API-KEY: $KEY" -H 'If-None-Match: ${HEADERS.ETag.example}' \\
  '${base}/v1/prices/latest/token?tokenName=bitcoin'`,
)}

${fenced('text', `HTTP/1.1 304 Not Modified\nETag: ${HEADERS.ETag.example}`)}`;
}
