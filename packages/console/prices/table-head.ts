import { byId, make, makeButton } from '../core/dom.ts';
import { COLUMNS, type Column, FIRST_SORTING, type Sorting, sortingAfter } from './sorting.ts';

/** The head of the table of prices, whose columns are sorted by a click. */
export function openTableHead(onSort: () => void) {
  let sorting = FIRST_SORTING;
  const cells = new Map(COLUMNS.map(([column, label]) => [column, makeCell(column, label)]));

  function makeCell(column: Column, label: string): HTMLElement {
    const sort = () => {
      sorting = sortingAfter(sorting, column);
      show();
      onSort();
    };
    const kind = column === 'title' ? '' : 'num';
    return make('th', { scope: 'col', class: kind }, makeButton(label, sort, 'sort'));
  }

  function show(): void {
    for (const [column, cell] of cells) {
      if (column === sorting.column) cell.setAttribute('aria-sort', sorting.direction);
      else cell.removeAttribute('aria-sort');
    }
  }

  byId('prices-head').append(...cells.values());
  show();
  return {
    sorting: (): Sorting => sorting,
  };
}
