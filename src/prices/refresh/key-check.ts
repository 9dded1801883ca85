import type { Log } from '#core/log';
import type { CoinGecko } from '#prices/sources/coingecko';
import type { RefreshSchedule } from '#prices/sources/coingecko-plans';
import {
  type CoinGeckoPlanName,
  coinGeckoPlan,
  planDifferences,
  planNamed,
} from '#prices/sources/coingecko-plans';
import type { UpstreamBudget } from '#upstream/budget';
import type { Budget } from '#upstream/monthly-budget';
import type { Warning } from '#upstream/warning';

type Dependencies = {
  source: Pick<CoinGecko, 'key' | 'historyDays' | 'limitReach'>;
  budget: Pick<UpstreamBudget<RefreshSchedule>, 'lower' | 'reading'>;
  configured: { plan: CoinGeckoPlanName; budget: Budget; apiKey?: string | undefined };
  log: Log;
};

/**
 * Asks the aggregator, where there is a key of a paid plan, what that plan is. Where it has less than what is configured,
 * the service goes on with that: calls of a minute and of a month, and how far back the history reaches. Nobody waits for
 * it, and when it fails what is configured holds.
 */
export function createKeyCheck({ source, budget, configured, log }: Dependencies) {
  const { plan } = configured;
  const { historyDays, names } = coinGeckoPlan(plan);
  let differences: string[] = [];

  async function check(): Promise<void> {
    const facts = await source.key();
    budget.lower(facts, facts.left);
    const told = planNamed(facts.plan);
    if (told) source.limitReach(coinGeckoPlan(told).historyDays);
    differences = planDifferences(plan, configured.budget, facts, budget.reading().limit);
    if (differences.length === 0) return;
    log.warn({ upstream: 'coingecko', ...facts, differences }, 'API plan smaller than configured');
  }

  const isPaid = names !== undefined;
  const done =
    isPaid && configured.apiKey
      ? check().catch((err: unknown) => {
          log.warn({ err }, 'API plan check failed');
        })
      : Promise.resolve();

  return {
    /** Resolves when the aggregator was asked, whatever came of it. */
    done,

    /** In what the plan has less than is configured. */
    warnings(): Warning[] {
      const days = source.historyDays();
      const reach = `history reaches back ${days} days, not as far as the plan in COINGECKO_PLAN`;
      const all = [...differences, ...(days < historyDays ? [reach] : [])];
      return all.map((difference) => ({ about: 'plan', difference }));
    },
  };
}

export type KeyCheck = ReturnType<typeof createKeyCheck>;
