import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Form } from '../../pages/components/form.tsx';
import type { Resource } from '../../pages/components/resource.ts';
import { Loaded } from '../../pages/components/states.tsx';
import { type Column, Table } from '../../pages/components/table.tsx';
import { count } from '../../pages/format.ts';
import { problem } from '../api/problem.tsx';
import { fragmentOf, type Place } from './router.ts';
import { go } from './store.ts';

/** The parameters that do not restrict a list. */
const ORDERS: readonly string[] = ['sort', 'cursor'];

type Page<Item> = { items: readonly Item[]; nextCursor: string | null };
type ListProps<Item> = {
  place: Place;
  of: Resource<Page<Item>>;
  /** The name of the table. */
  label: string;
  /** One item and several items, in words. */
  nouns: readonly [one: string, several: string];
  columns: readonly Column<Item>[];
  keyOf: (item: Item) => string | number;
  kind?: 'wide' | 'links';
};

/** A table of one page of a list, with links to the next and the first page. */
export function List<Item>({ place, of, nouns: [one, several], ...table }: ListProps<Item>) {
  const { view, query } = place;
  const isFiltered = Object.entries(query).some(([name, value]) => value !== '' && !ORDERS.includes(name));
  return (
    <div class="panel list">
      <Loaded of={of} problem={problem}>
        {({ items, nextCursor }) => {
          const isWhole = nextCursor === null && !query.cursor;
          const number = items.length === 0 ? 'No' : count(items.length);
          const scope = !isWhole ? ' on this page' : items.length === 0 && isFiltered ? ' found' : '';
          return (
            <>
              {items.length > 0 && <Table {...table} items={items} />}
              <div class={items.length > 0 ? 'foot list-foot' : 'foot empty'}>
                <span role="status">{`${number} ${items.length === 1 ? one : several}${scope}.`}</span>
                <nav aria-label="Pages of the list">
                  {query.cursor && <a href={fragmentOf(view, { ...query, cursor: '' })}>First page</a>}
                  {nextCursor !== null && <a href={fragmentOf(view, { ...query, cursor: nextCursor })}>Next page</a>}
                </nav>
              </div>
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

/** Fills a form with parameters. Values that a choice does not offer are ignored. */
function fill(form: HTMLFormElement, query: Readonly<Record<string, string>>): void {
  for (const element of form.elements) {
    if (!(element instanceof HTMLInputElement || element instanceof HTMLSelectElement)) continue;
    const value = query[element.name] ?? '';
    const options = element instanceof HTMLSelectElement ? [...element.options] : [];
    if (element instanceof HTMLInputElement || options.some((option) => option.value === value)) element.value = value;
    else element.selectedIndex = 0;
  }
}

type FiltersProps = { place: Place; label: string; names: readonly string[]; children: ComponentChildren };

/** The filter of a list, in the URL. A choice applies at once. */
export function Filters({ place: { view, query }, label, names, children }: FiltersProps) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (form.current) fill(form.current, query);
  }, [query]);
  return (
    <search>
      <Form
        class="filters"
        formRef={form}
        submitsChoices
        button={[label, label]}
        onSubmit={(fields) => go(fragmentOf(view, Object.fromEntries(names.map((name) => [name, fields(name)]))))}
      >
        {children}
      </Form>
    </search>
  );
}

type Listed = 'states' | 'plans' | 'actions';

/** The values of the service, which the build writes into the page. */
export const valuesOf = (name: Listed): readonly string[] => (document.body.dataset[name] ?? '').split(' ');

/** The options of a filter. */
export const optionsOf = (name: Listed) => [
  ['', 'all'] as const,
  ...valuesOf(name).map((value) => [value, value] as const),
];
