import { Bars } from '../../pages/components/bars.tsx';
import { Isolated, Panel } from '../../pages/components/figures.tsx';
import { Table } from '../../pages/components/table.tsx';
import { lastDays } from '../../pages/dates.ts';
import { count, inCalls, onDate } from '../../pages/format.ts';
import type { user as resource } from '../core/store.ts';
import { nameOfKey } from './words.tsx';

type Loaded = NonNullable<typeof resource.value.value>;
type Row = { name: string; calls: number };

function Calls({ title, head, rows, isOpen }: { title: string; head: string; rows: readonly Row[]; isOpen?: boolean }) {
  if (rows.length === 0) return null;
  const columns = [
    { title: head, cell: ({ name }: Row) => <Isolated>{name}</Isolated> },
    { title: 'Calls', kind: 'num' as const, cell: ({ calls }: Row) => count(calls) },
  ];
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      <Table label={title} columns={columns} items={rows} keyOf={({ name }) => name} />
    </details>
  );
}

const byCalls = (rows: Row[]) => rows.sort((one, other) => other.calls - one.calls);

/** The calls of the last 31 days, by day, key and path. */
export function UsagePanel({ user, byKey, byPath }: Loaded) {
  const days = lastDays(user.daily, Date.now()).map(({ date, calls }) => ({ name: onDate(new Date(date)), calls }));
  const keys = (byKey.keys ?? []).map(({ id, label, start, calls }) => {
    if (id === null) return { name: 'Not recorded', calls };
    const key = user.apiKeys.find((one) => one.id === id);
    const name = key ? nameOfKey(key) : `${label ?? `Key ${id}`}${start === null ? '' : ` ${start}…`}`;
    return { name, calls };
  });
  const paths = (byPath.paths ?? []).map(({ path, calls }) => ({ name: path ?? 'Not recorded', calls }));
  const sum = days.reduce((total, { calls }) => total + calls, 0);
  return (
    <Panel title="Calls of the last 31 days">
      <Bars bars={days.map(({ name, calls }) => ({ name, value: calls }))} summary={`${inCalls(sum)}.`} />
      <Calls title="By key" head="Key" rows={byCalls(keys)} isOpen />
      <Calls title="By path" head="Path" rows={byCalls(paths)} isOpen />
      <Calls title="By day" head="Date" rows={days.toReversed()} />
    </Panel>
  );
}
