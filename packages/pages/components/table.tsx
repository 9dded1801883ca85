import type { ComponentChildren } from 'preact';
import { Empty } from './states.tsx';

export type Column<Item> = {
  title: string;
  /** `num` aligns to the right. `text` may break anywhere. */
  kind?: 'num' | 'text';
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
  /** `wide`: needs a large screen. `links`: the link in the first cell covers its row. */
  kind?: 'wide' | 'links';
};

/** A table whose first cells name the rows. Where it does not fit, each row becomes a list of labels and values. */
export function Table<Item>({ label, columns, items, keyOf, empty, kind }: TableProps<Item>) {
  if (items.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>;
  const [first, ...others] = columns;
  return (
    <div class="table-frame" data-kind={kind}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" class={kind}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              <th scope="row">{first?.cell(item)}</th>
              {others.map(({ title, kind, cell }) => (
                <td key={title} class={kind} data-label={title}>
                  <div>{cell(item)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
