import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { count } from '../format.ts';
import { Empty } from './states.tsx';

export type Column<Item> = {
  title: string;
  /** `num` aligns to the right. `text` may break anywhere. `line` and `name` are cut off where they do not fit. */
  kind?: 'num' | 'text' | 'line' | 'name';
  /** Hidden where the table does not fit. The details of the row contain it. */
  isExtra?: boolean;
  cell: (item: Item) => ComponentChildren;
};

type TableProps<Item> = {
  /** The name of the table. */
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  keyOf: (item: Item) => string | number;
  /** The text that replaces a table without rows. */
  empty?: ComponentChildren;
  /** `wide`: needs a large screen. `narrow`: fits a phone. `links`: the link in the first cell covers its row. */
  kind?: 'wide' | 'narrow' | 'links';
  /** What a row shows below itself after a click. */
  details?: (item: Item) => ComponentChildren;
  /** How many rows the table shows first, and adds with each click on its button. */
  step?: number;
};

const classOf = ({ kind, isExtra }: Column<never>) => [kind, isExtra && 'extra'].filter(Boolean).join(' ');

type RowProps<Item> = Pick<TableProps<Item>, 'columns' | 'details'> & { item: Item };

function Row<Item>({ columns, details, item }: RowProps<Item>) {
  const isOpen = useSignal(false);
  const id = useId();
  const [first, ...others] = columns;
  const name = first?.cell(item);
  return (
    <>
      <tr>
        <th scope="row">
          {details ? (
            <button
              type="button"
              class="opener"
              aria-expanded={isOpen.value}
              aria-controls={isOpen.value ? id : undefined}
              onClick={() => (isOpen.value = !isOpen.value)}
            >
              {name}
            </button>
          ) : (
            name
          )}
        </th>
        {others.map((column) => (
          <td key={column.title} class={classOf(column)} data-label={column.title}>
            <div>{column.cell(item)}</div>
          </td>
        ))}
      </tr>
      {details && isOpen.value && (
        <tr class="details" id={id}>
          <td colSpan={columns.length}>{details(item)}</td>
        </tr>
      )}
    </>
  );
}

/** A table whose first cells name the rows. Where it does not fit, each row becomes a list of labels and values. */
export function Table<Item>({ label, columns, items, keyOf, empty, kind, details, step }: TableProps<Item>) {
  const most = useSignal(step ?? items.length);
  if (items.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>;
  const shown = step === undefined ? items : items.slice(0, most.value);
  return (
    <div class="table-frame" data-kind={details ? 'details' : kind}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((item) => (
            <Row key={keyOf(item)} {...{ columns, details, item }} />
          ))}
        </tbody>
      </table>
      {step !== undefined && items.length > step && (
        <div class="foot more">
          {items.length > shown.length && (
            <button type="button" class="small" onClick={() => (most.value += step)}>
              Show more
            </button>
          )}
          <span class="soft" role="status">
            {count(shown.length)} of {count(items.length)}
          </span>
        </div>
      )}
    </div>
  );
}
