import type { Log } from '#core/log';
import type { CoinGecko } from '#prices/sources/coingecko';
import { type CoinGeckoPlanName, coinGeckoPlan, planDifferences, planNamed } from '#prices/sources/coingecko-plans';
import type { Budget, UpstreamBudget } from '#upstream/budget';
import type { Warning } from '#upstream/freshness';

type Dependencies = {
  source: Pick<CoinGecko, 'key' | 'history' | 'limitReach'>;
  budget: Pick<UpstreamBudget, 'lower' | 'reading'>;
  configured: { plan: CoinGeckoPlanName; budget: Budget; apiKey?: string | undefined };
  log: Log;
};

/** If a paid key's plan is smaller than configured, the key's limits apply. No response waits for the check. */
export function createKeyCheck({ source, budget, configured, log }: Dependencies) {
  const { plan } = configured;
  const { historyDays, names } = coinGeckoPlan(plan);
  let differences: string[] = [];

  async function check(): Promise<void> {
    const key = await source.key();
    budget.lower(key, key.left);
    const reported = planNamed(key.plan);
    if (reported) source.limitReach(coinGeckoPlan(reported).historyDays);
    differences = planDifferences(plan, configured.budget, key, budget.reading().limit);
    if (differences.length === 0) return;
    log.warn({ upstream: 'coingecko', ...key, differences }, 'API plan smaller than configured');
  }

  const isPaid = names !== undefined;
  const done =
    isPaid && configured.apiKey
      ? check().catch((err: unknown) => {
          log.warn({ err }, 'API plan check failed');
        })
      : Promise.resolve();

  return {
    /** Resolves when the check has ended. Never rejects. */
    done,

    warnings(): Warning[] {
      const days = source.history.day;
      const reach = `the history reaches back ${days} days, which is less than COINGECKO_PLAN allows`;
      const all = [...differences, ...(days < historyDays ? [reach] : [])];
      return all.map((difference) => ({ about: 'plan', difference }));
    },
  };
}
