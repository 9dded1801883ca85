import { byId, make, openScrollEdges } from '../../pages/dom.ts';
import { count } from '../../pages/format.ts';
import { makeNamedRow, makeTable } from '../../pages/table.ts';
import { openLoader } from './loader.ts';
import { fragmentOf } from './router.ts';

type Query = Readonly<Record<string, string>>;
/** The parameters that do not restrict a list. */
const ORDERS: readonly string[] = ['sort', 'cursor'];
type Column = readonly [title: string, kind?: 'num'];

type List<Item> = {
  id: string;
  /** The name of the table. */
  label: string;
  view: string;
  /** One item and several items, in words. */
  nouns: readonly [one: string, several: string];
  columns: readonly Column[];
  cellsOf: (item: Item) => readonly (Node | string)[];
  read: (query: Query) => Promise<{ items: readonly Item[]; nextCursor: string | null }>;
};

/** A table of one page of a list, with links to the next and the first page. The first cell names the row. */
export function openList<Item>({ id, label, view, nouns, columns, cellsOf, read }: List<Item>) {
  const panel = byId(id);
  const table = makeTable(label, columns);
  const body = table.querySelector('tbody') as HTMLElement;
  const scroll = make('section', { class: 'scroll', tabindex: '0', 'aria-label': label }, table);
  const size = make('span', { class: 'soft', role: 'status' }, 'Loading…');
  const next = make('a', { href: '#', hidden: '' }, 'Next page');
  const first = make('a', { href: '#', hidden: '' }, 'First page');
  const problem = make('div', { class: 'problem', role: 'alert' });
  panel.append(
    problem,
    make('div', { class: 'scroll-frame' }, scroll),
    make('div', { class: 'foot list-foot' }, size, make('nav', { 'aria-label': 'Pages of the list' }, first, next)),
  );
  openScrollEdges(scroll);
  const load = openLoader(panel, problem);
  let shown: Query = {};

  function rowOf(item: Item): HTMLElement {
    const [name = '', ...others] = cellsOf(item);
    return makeNamedRow(name, ...others.map((cell, place) => [cell, columns[place + 1]?.[1]] as const));
  }

  async function show(query: Query): Promise<void> {
    shown = query;
    await load(
      () => read(query),
      ({ items, nextCursor }) => {
        body.replaceChildren(...items.map(rowOf));
        const [one, several] = nouns;
        const isWhole = nextCursor === null && !query.cursor;
        const number = items.length === 0 ? 'No' : count(items.length);
        const isFiltered = Object.entries(query).some(([name, value]) => value !== '' && !ORDERS.includes(name));
        const scope = !isWhole ? ' on this page' : items.length === 0 && isFiltered ? ' found' : '';
        size.textContent = `${number} ${items.length === 1 ? one : several}${scope}.`;
        next.hidden = nextCursor === null;
        if (nextCursor !== null) next.href = fragmentOf(view, { ...query, cursor: nextCursor });
        first.hidden = !query.cursor;
        first.href = fragmentOf(view, { ...query, cursor: '' });
        scroll.scrollTop = 0;
      },
    );
  }

  return {
    show,
    refresh: () => show(shown),
  };
}
