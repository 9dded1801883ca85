import { make } from './dom.ts';

type Content = Node | string;
/** A cell with its classes. */
export type Cell = readonly [content: Content, kind?: string];

const cellsOf = (cells: readonly Cell[]) => cells.map(([content, kind = '']) => make('td', { class: kind }, content));

export const makeRow = (...cells: readonly Cell[]) => make('tr', {}, ...cellsOf(cells));

/** A row whose first cell is its name. */
export const makeNamedRow = (name: Content, ...cells: readonly Cell[]) =>
  make('tr', {}, make('th', { scope: 'row' }, name), ...cellsOf(cells));

export const headCells = (heads: readonly Cell[]) =>
  heads.map(([title, kind = '']) => make('th', { scope: 'col', class: kind }, title));
