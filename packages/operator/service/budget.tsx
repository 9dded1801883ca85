import { Meter, Time } from '../../pages/components/figures.tsx';
import { count, inCalls, onDate } from '../../pages/format.ts';
import type { SourceReport } from '../generated/records.ts';

type Props = { of: SourceReport };

/** The use of a budget, which is that of a calendar month. */
export function Budget({ of: { name, budget } }: Props) {
  if (!budget) return <span class="soft">without a budget</span>;
  const { limit, used, remaining } = budget;
  if (limit === null) return <>{inCalls(used)}</>;
  return (
    <div class="budget">
      <Meter label={`Budget of ${name}`} value={used} max={limit} />
      <span>
        {count(used)} of {inCalls(limit)}
      </span>
      <span class="soft">{count(remaining ?? 0)} left</span>
    </div>
  );
}

/** When the budget runs out at this month's average rate. */
export function BudgetEnd({ of: { budget } }: Props) {
  if (!budget || budget.limit === null) return <>never</>;
  if (budget.remaining === 0) {
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    return <strong class="warn">spent until {onDate(next)}</strong>;
  }
  if (budget.exhaustedAt === null) return <>not this month</>;
  return (
    <strong class="warn">
      <Time at={budget.exhaustedAt} />
    </strong>
  );
}
