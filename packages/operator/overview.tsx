import { Figures, Isolated, Panel, Tag, Time } from '../pages/components/figures.tsx';
import { Head, Refresh } from '../pages/components/head.tsx';
import { Empty, Loaded } from '../pages/components/states.tsx';
import { Table } from '../pages/components/table.tsx';
import { count, orUnknown } from '../pages/format.ts';
import { problem } from './api/problem.tsx';
import { overview } from './core/store.ts';
import type { OperatorUser, RequestReport, SourceReport } from './generated/records.ts';
import { Budget, BudgetEnd } from './service/budget.tsx';
import { UserCell } from './users/words.tsx';

const ROWS = 8;

type Page = { items: readonly unknown[]; nextCursor: string | null };
/** The number of items of a list, after one page of the list was read. */
const atLeast = (number: number, isWhole: boolean) => `${count(number)}${isWhole ? '' : '+'}`;
const sizeOf = ({ items, nextCursor }: Page) => atLeast(items.length, nextCursor === null);

const callsOf = (users: readonly OperatorUser[]) => users.reduce((sum, { lastHour }) => sum + lastHour, 0);

const Source = ({ of: { name, state } }: { of: SourceReport }) => (
  <span class="named-state">
    {name} <Tag state={state} />
  </span>
);

const inMs = (ms: number | null) => orUnknown(ms, (value) => `${count(value)} ms`);

/** The requests of the process that serves the page. */
const Requests = ({ of: { since, requests, median, p99, problems, routes } }: { of: RequestReport }) => (
  <div class="columns">
    <Panel title="Requests to this process">
      <Figures
        of={[
          ['Since', <Time at={since} />],
          ['Requests', count(requests)],
          ['Median latency', inMs(median)],
          ['99th percentile', inMs(p99)],
        ]}
      />
      <Table
        label="Requests by route"
        empty="No requests yet."
        items={routes.slice(0, ROWS)}
        keyOf={({ route }) => route}
        columns={[
          { title: 'Route', cell: ({ route }) => <code>{route}</code> },
          { title: 'Requests', kind: 'num', cell: (row) => count(row.requests) },
          { title: 'Median', kind: 'num', cell: (row) => inMs(row.median) },
          { title: '99th percentile', kind: 'num', cell: (row) => inMs(row.p99) },
        ]}
      />
    </Panel>
    <Panel title="Errors of this process">
      <Table
        label="Errors by code"
        empty="No errors since this process started."
        items={problems}
        keyOf={({ code }) => code}
        columns={[
          { title: 'Code', cell: ({ code }) => <a href={`docs/problems#${code}`}>{code}</a> },
          { title: 'Responses', kind: 'num', cell: (row) => count(row.count) },
        ]}
      />
    </Panel>
  </div>
);

export const Overview = () => (
  <>
    <Head title="Overview" hint="The request rates and latencies of all processes are in the metrics of the service.">
      <Refresh of={overview} />
    </Head>
    <Loaded of={overview} problem={problem}>
      {({ active: { items, nextCursor }, sources, requests, undelivered, events }) => {
        const active = items.filter(({ lastHour }) => lastHour > 0);
        const isWhole = nextCursor === null || active.length < items.length;
        const working = sources.filter(({ state }) => state === 'working' || state === 'unused');
        return (
          <>
            <Figures
              class="tiles"
              of={[
                ['Charged calls, last hour', atLeast(callsOf(active), isWhole)],
                ['Active users, last hour', atLeast(active.length, isWhole)],
                ['Sources without a failure', `${count(working.length)} of ${count(sources.length)}`],
                ['Undelivered messages', <a href="#/messages">{sizeOf(undelivered)}</a>],
              ]}
            />
            <div class="columns">
              <Panel title="Upstream budgets" actions={<a href="#/sources">All sources</a>}>
                <Table
                  label="Upstream budgets"
                  empty="No source has a budget."
                  items={sources.filter(({ budget }) => budget)}
                  keyOf={({ name }) => name}
                  columns={[
                    { title: 'Source', cell: (source) => <Source of={source} /> },
                    { title: 'Used this month', cell: (source) => <Budget of={source} /> },
                    { title: 'Runs out', cell: (source) => <BudgetEnd of={source} /> },
                  ]}
                />
              </Panel>
              <Panel title="Most active users, last hour" actions={<a href="#/users?sort=lastHour">All users</a>}>
                <Table
                  label="Most active users"
                  empty="No calls in the last hour."
                  kind="links"
                  items={active.slice(0, ROWS)}
                  keyOf={({ key }) => key}
                  columns={[
                    { title: 'User', cell: (user) => <UserCell user={user} /> },
                    { title: 'Last hour', kind: 'num', cell: ({ lastHour }) => count(lastHour) },
                    { title: 'This period', kind: 'num', cell: ({ used }) => count(used) },
                  ]}
                />
              </Panel>
            </div>
            <Requests of={requests} />
            <Panel title={`Changes of the last day (${sizeOf(events)})`} actions={<a href="#/audit">Audit log</a>}>
              {events.items.length === 0 ? (
                <Empty>No changes in the last 24 hours.</Empty>
              ) : (
                <ul class="events">
                  {events.items.slice(0, ROWS).map(({ id, at, action, target, user, actor }) => (
                    <li key={id}>
                      <Time at={at} /> <code>{action}</code>
                      {user === null ? <span>{target}</span> : <a href={`#/users/${user}`}>{target}</a>}
                      <span class="soft">
                        by <Isolated>{actor}</Isolated>
                      </span>
                    </li>
                  ))}
                </ul>
              )}
            </Panel>
          </>
        );
      }}
    </Loaded>
  </>
);
