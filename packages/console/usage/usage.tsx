import { useLayoutEffect } from 'preact/hooks';
import { Bars } from '../../pages/components/bars.tsx';
import { ButtonGroup } from '../../pages/components/button-group.tsx';
import { Figures, Isolated, Meter, Panel } from '../../pages/components/figures.tsx';
import { Head } from '../../pages/components/head.tsx';
import { Loading } from '../../pages/components/states.tsx';
import { Table } from '../../pages/components/table.tsx';
import { count, inCalls, onDate, onDateAt, UNKNOWN } from '../../pages/format.ts';
import { Age } from '../core/age.tsx';
import { PanelProblem } from '../core/failures.tsx';
import type { UsageTable } from './breakdown.ts';
import { RequestLog } from './request-log.tsx';
import type { UsageStore } from './store.ts';

const WEEK = 7;
/** Keeps the height of a line. */
const BLANK = '\u00a0';
const CHOICES = [
  ['key', 'By key'],
  ['path', 'By path'],
  ['day', 'By day'],
] as const;

type Props = { store: UsageStore };

/** Has the same height before the data arrives. */
function Calls({ store: { usage, days } }: Props) {
  const period = usage.value.value?.usage;
  const bars = (days.value ?? []).map(({ date, calls }) => ({ name: onDate(new Date(date)), value: calls }));
  const sum = (parts: typeof bars) => parts.reduce((total, { value }) => total + value, 0);
  const sumOf = (parts: typeof bars) => (period ? count(sum(parts)) : UNKNOWN);
  return (
    <Panel title="Calls per day" class="calls" actions={<Age of={usage.age.value} />}>
      <PanelProblem of={usage.failure} />
      <Figures
        class="spans"
        of={[
          ['Today', sumOf(bars.slice(-1))],
          ['7 days', sumOf(bars.slice(-WEEK))],
          ['31 days', sumOf(bars)],
        ]}
      />
      <Bars bars={bars} summary={period ? `${inCalls(sum(bars))} in 31 days, by UTC date` : BLANK} />
      <Meter label="Calls of the period" value={period?.used ?? 0} max={period?.limit ?? 1} />
      <p class="soft">
        {period
          ? `${count(period.used)} of ${inCalls(period.limit)} used. The period ends on ${onDateAt(period.resetsAt)}.`
          : BLANK}
      </p>
    </Panel>
  );
}

type BreakdownRow = UsageTable['rows'][number];

const NameCell = ({ of: { name, limit } }: { of: BreakdownRow }) => (
  <>
    <Isolated>{name}</Isolated>
    {typeof limit === 'number' && <span class="under soft">Daily limit {count(limit)}</span>}
  </>
);

const BreakdownTable = ({ of: { heads, rows } }: { of: UsageTable }) => (
  <Table
    label="Calls"
    kind="narrow"
    step={10}
    items={rows}
    keyOf={(row) => rows.indexOf(row)}
    columns={heads.map((title, place) => ({
      title,
      ...(place > 0 && { kind: 'num' as const }),
      cell: (row: BreakdownRow) => (place > 0 ? row.values[place - 1] : <NameCell of={row} />),
    }))}
    empty="No calls in the last 31 days. The API call on the page Prices shows code for your first call."
  />
);

const Breakdown = ({ store: { by, table, usage, breakDown, save } }: Props) => (
  <Panel
    title="Breakdown"
    class="breakdown"
    actions={
      <button type="button" class="small" disabled={!table.value} onClick={save}>
        Download usage as CSV
      </button>
    }
  >
    <p class="soft">
      Charged calls. All keys share the allowance. A daily limit also limits its own key.{' '}
      <a href="docs/plans#usage-by-key-and-path">About usage</a>
    </p>
    <ButtonGroup label="Break down the calls" options={CHOICES} selected={by.value} onSelect={breakDown} />
    <div aria-busy={usage.isLoading.value}>
      {table.value ? <BreakdownTable key={by.value} of={table.value} /> : !usage.error.value && <Loading />}
    </div>
  </Panel>
);

/** The page Usage: the calls of the last 31 days, and the latest requests. */
export function UsagePage({ store }: Props) {
  // Before the response to the list of keys, so that both share the read of the usage.
  useLayoutEffect(store.open, []);
  return (
    <>
      <Head title="Usage" />
      <div class="usage-page">
        <Calls store={store} />
        <Breakdown store={store} />
        <RequestLog store={store} />
      </div>
    </>
  );
}
