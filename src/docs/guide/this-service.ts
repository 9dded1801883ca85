import { PLAN_NAMES, PLANS, perPeriod } from '#users/plan';
import { count, every } from '#web/format';
import type { GuideSettings } from './context.ts';

export function thisService(settings: GuideSettings): string {
  const { burstPerSecond, coingecko, exchangeRatesUrl, node } = settings;
  const plans = PLAN_NAMES.map((plan) => `\`${plan}\` allows ${count(PLANS[plan].limit, 'call')} ${perPeriod(plan)}`);
  const burst =
    burstPerSecond > 0
      ? `Each process of the service accepts up to ${count(burstPerSecond, 'request')} per second from you, across all your keys. Free requests count too.`
      : 'The number of requests per second is not limited.';
  const currencies =
    exchangeRatesUrl === undefined
      ? '`usd`, `btc` and `eth`'
      : '`usd`, the reference currencies of the European Central Bank, `btc` and `eth`';
  const nodes =
    node.urls.length > 0
      ? 'The paths under `/v1/node` are available.'
      : 'This service has no node. The paths under `/v1/node` respond with 503 `node_not_configured`.';
  return `The operator of this service has set these limits:

* Plans: ${plans.join('; ')}. The operator can set another limit for you.
* Burst limit: ${burst}
* Currencies: ${currencies}.
* Refresh: While clients request data, the latest prices are fetched ${every(coingecko.schedule.latest)}, and the chart of the last day ${every(coingecko.schedule.chart)}.
* Node: ${nodes}`;
}
