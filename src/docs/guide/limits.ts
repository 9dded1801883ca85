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
      ? `You may send ${count(burstPerSecond, 'request')} a second to one process, over all your keys and including free ones. Beyond that the answer is 429 \`rate_limited\`.`
      : 'The number of requests per second is not limited.';
  return `${plans.join('; ')}; the operator may have set another limit for you. Periods start when you register, or \
when you renew an expired key. Only 2xx answers from paths under \`/v1/prices\` are charged, one call each, \`/v1/prices/latest/tokens\` one for each ten tokens begun: 304, 4xx and 5xx are free, and so \
are the paths of users, tokens and the node.

* \`RateLimit-Policy: ${HEADERS['RateLimit-Policy'].example}\` is the allowance, \`q\` calls in a period of \`w\` seconds, and the burst limit. \`RateLimit: \
${HEADERS.RateLimit.example}\` is what is left: \`r\` calls, and \`t\` seconds until the period ends. A 429 has both.
* When no calls are left, or fewer than a call costs, the answer is 429 \`quota_exceeded\` with the seconds to wait in \`Retry-After\`.
* ${burst}
* \`GET /v1/user/usage\` has the calls of each day, and is free.`;
}

export const TOO_MANY_REQUESTS = `Read \`code\`, and wait for the seconds in \`Retry-After\`: a 429 has one of two reasons.

* \`quota_exceeded\`: the calls of your period are used up, or fewer are left than this call costs. \`GET /v1/user/usage\` says when the next period begins; it is free.
* \`rate_limited\`: too many requests at once. Spread them; free ones count too.

To use fewer calls, ask for several tokens at once with \`/v1/prices/latest/tokens\`, send \`If-None-Match\`, and keep an answer as long as \`Cache-Control\` says.`;

export function freshness(base: string, { coingecko: { schedule } }: GuideSettings): string {
  return `While there are requests for them, the latest prices are fetched ${every(schedule.latest)} and the chart of the last day \
${every(schedule.chart)}, less often when the upstream call budget runs low. While CoinGecko is unavailable you get the last good \
answer: \`Age\` is its age in seconds.

* \`Cache-Status: ${HEADERS['Cache-Status'].example}\` says where the answer came from: \`ttl\` is the seconds \
until it is due for a refresh, negative when overdue; with \`fwd=stale\`, \`detail\` is the reason.
* \`ETag\` identifies the answer: send it back as shown below. So you may with its \`Last-Modified\`, in \`If-Modified-Since\`.
* \`Cache-Control\` says how long to cache the answer, counted from when its figures were fetched: \`Age\` of it is over. Data that no longer changes is \`immutable\`: never request it again.
* \`Quotient-Gaps\` lists the parts of a history that are not available; \`Quotient-Source\` names \
who told the figures; \`GET /v1/sources\` has their terms, and the attribution to show.

To ask again only for what has changed, send the \`ETag\` of the answer that you have in \`If-None-Match\`. While it is unchanged you get \
304, without a body and free of charge: keep what you have.

${fenced(
  'sh',
  `curl -i -H "X-API-KEY: $KEY" -H 'If-None-Match: ${HEADERS.ETag.example}' \\
  '${base}/v1/prices/latest/token?tokenName=bitcoin'`,
)}

${fenced('text', `HTTP/1.1 304 Not Modified\nETag: ${HEADERS.ETag.example}`)}`;
}
