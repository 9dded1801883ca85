import type { ApiKey, Usage } from '../../client/index.ts';
import { csvText } from '../../pages/csv.ts';
import { isoDate } from '../../pages/dates.ts';
import { buttonGroup, byId, make } from '../../pages/dom.ts';
import { saveFile } from '../../pages/download.ts';
import { notLoaded, type OnError, toError } from '../../pages/problem.ts';
import type { Session } from '../api/session.ts';
import { type UsageBy, usageRows, usageTable } from './usage-table.ts';

const CHOICES = [
  ['day', 'By day'],
  ['key', 'By key'],
  ['path', 'By path'],
] as const;

/** Shows the calls by day, key or path. All requests are free. */
export function openUsage(session: Session, onError: OnError) {
  const [head, body, problem] = [byId('usage-head'), byId('usage-body'), byId('usage-problem')];
  const save = byId('usage-csv', HTMLButtonElement);
  let by: UsageBy = 'day';
  /** The usage by day, which the page reads again after its calls. */
  let whole: Usage | undefined;
  let shown: Usage | undefined;
  let listed: readonly ApiKey[] = [];

  const headOf = (text: string, place: number) => make('th', { scope: 'col', class: place === 0 ? '' : 'num' }, text);
  function rowOf([name = '', ...numbers]: readonly string[]): HTMLElement {
    return make(
      'tr',
      {},
      make('th', { scope: 'row' }, name),
      ...numbers.map((text) => make('td', { class: 'num' }, text)),
    );
  }

  function show(usage: Usage | undefined): void {
    shown = usage;
    save.disabled = usage === undefined;
    const { heads, rows } = usage ? usageTable(by, usage, listed, Date.now()) : { heads: [], rows: [] };
    head.replaceChildren(...heads.map(headOf));
    body.replaceChildren(...rows.map(rowOf));
  }

  async function load(): Promise<void> {
    if (!whole) return;
    if (by === 'day') {
      problem.replaceChildren();
      return show(whole);
    }
    const { client } = session;
    const wanted = by;
    const isOver = () => client !== session.client || wanted !== by;
    try {
      const usage = await client.usage({ by: wanted });
      if (isOver()) return;
      problem.replaceChildren();
      show(usage);
    } catch (thrown) {
      if (!isOver()) onError(toError(thrown), problem, load, shown !== undefined);
    }
  }

  const choices = buttonGroup(byId('usage-by'), CHOICES, (selected) => {
    by = selected;
    choices.select(by);
    show(undefined);
    void load();
  });
  choices.select(by);

  save.addEventListener('click', () => {
    if (!shown) return;
    const now = Date.now();
    const name = `quotient-usage-by-${by}-${isoDate(now)}.csv`;
    saveFile(name, new Blob([csvText(usageRows(by, shown, listed, now))], { type: 'text/csv' }));
  });

  return {
    /** Shows the usage that the page has read, or the calls by key or path at that time. Undefined if it failed. */
    update(usage: Usage | undefined): void {
      whole = usage ?? whole;
      if (whole) void load();
      else problem.replaceChildren(notLoaded());
    },
    /** The keys of the account, with their limits. Empty if the key cannot list them. */
    setKeys(keys: readonly ApiKey[]): void {
      listed = keys;
      if (shown && by === 'key') show(shown);
    },
    clear(): void {
      whole = undefined;
      listed = [];
      problem.replaceChildren();
      show(undefined);
    },
  };
}
