import { Tag, Time } from '../../pages/components/figures.tsx';
import { Head, Refresh } from '../../pages/components/head.tsx';
import { Loaded } from '../../pages/components/states.tsx';
import { Table } from '../../pages/components/table.tsx';
import { inCalls, UNKNOWN } from '../../pages/format.ts';
import { problem } from '../api/problem.tsx';
import { sources } from '../core/store.ts';
import type { SourceReport } from '../generated/records.ts';
import { Budget, BudgetEnd } from './budget.tsx';

const Failure = ({ of: { lastFailure } }: { of: SourceReport }) =>
  lastFailure ? (
    <>
      <Time at={lastFailure.at} />
      <span class="soft under">{lastFailure.cause}</span>
    </>
  ) : (
    <>none</>
  );

export const Sources = () => (
  <>
    <Head
      title="Sources"
      hint="The states are those of the process that serves this page. The times and budgets are those of all processes. Forecasts assume this month's average rate since the first call to the source."
    >
      <Refresh of={sources} />
    </Head>
    <div class="panel list">
      <Loaded of={sources} problem={problem}>
        {(items) => (
          <Table
            label="Sources"
            kind="wide"
            empty="No sources are configured."
            items={items}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Source', cell: ({ name }) => name },
              { title: 'State', cell: ({ state }) => <Tag state={state} /> },
              { title: 'Used this month', cell: (source) => <Budget of={source} /> },
              { title: 'Forecast', kind: 'num', cell: ({ budget }) => (budget ? inCalls(budget.forecast) : UNKNOWN) },
              { title: 'Runs out', cell: (source) => <BudgetEnd of={source} /> },
              { title: 'Last success', cell: ({ lastSuccessAt }) => <Time at={lastSuccessAt} /> },
              { title: 'Last failure', cell: (source) => <Failure of={source} /> },
              {
                title: 'No current price',
                kind: 'text',
                cell: ({ inactiveTokens }) => inactiveTokens.join(', ') || 'none',
              },
            ]}
          />
        )}
      </Loaded>
    </div>
  </>
);
