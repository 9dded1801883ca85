import type { Token } from '../../client/index.ts';
import { buttonGroup, byId, make, makeButton, makeSvg } from '../../pages/dom.ts';
import { openFaults } from '../../pages/faults.ts';
import { inCalls, onDate } from '../../pages/format.ts';
import type { TokenName } from '../api/api-call.ts';
import type { HistoryView } from './chart-choice.ts';
import { findToken, type Line, MAX_COMPARED, MODES, type Mode } from './comparison.ts';
import { lastRow, rowInWords } from './comparison-words.ts';

type Events = {
  onAdd: (token: Token) => void;
  onRemove: (token: TokenName) => void;
  onMode: (mode: Mode) => void;
};

/** The field that adds a token to the chart. */
export function openCompareControl({ onAdd, onRemove, onMode }: Events) {
  const form = byId('compare-form', HTMLFormElement);
  const field = byId('compare-token', HTMLInputElement);
  const button = byId('compare-add');
  const faults = openFaults(form);
  const legend = openLegend((token) => {
    onRemove(token);
    // The button that had the focus is gone.
    button.focus();
  });
  const modes = buttonGroup(byId('modes'), MODES, onMode);
  let tokens: readonly Token[] = [];
  let shown: readonly TokenName[] = [];

  /** Suggests a token that the chart does not show. */
  function suggest(): void {
    field.placeholder = tokens.find(({ tokenName }) => !shown.includes(tokenName))?.tokenName ?? '';
  }

  function faultOf(token: Token | undefined): string {
    if (!token) return field.dataset.wrong ?? '';
    if (shown.includes(token.tokenName)) return `The chart already shows ${token.title}.`;
    return shown.length < MAX_COMPARED ? '' : `The chart shows up to ${MAX_COMPARED} tokens. Remove one first.`;
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const token = findToken(tokens, field.value);
    field.setCustomValidity(faultOf(token));
    if (!faults.check() || !token) return;
    form.reset();
    onAdd(token);
  });
  field.addEventListener('input', () => field.setCustomValidity(''));
  // The list is filled on first use, because it can have a thousand entries.
  field.addEventListener('focus', () => {
    const options = tokens.filter(({ tokenName }) => !shown.includes(tokenName));
    byId('compare-tokens').replaceChildren(
      ...options.map(({ title, symbol }) => make('option', { value: title }, symbol.toUpperCase())),
    );
  });

  return {
    legend,
    setTokens(next: readonly Token[]): void {
      tokens = next;
      suggest();
    },
    /** Shows the tokens before their lines are loaded. */
    select(selected: readonly Token[]): void {
      shown = selected.map(({ tokenName }) => tokenName);
      suggest();
      const isCompared = selected.length > 1;
      byId('modes').hidden = !isCompared;
      legend.show(isCompared ? selected.map((token) => ({ token, amounts: [], values: [] })) : [], []);
    },
    selectMode: (mode: Mode) => modes.select(mode),
    /** `calls` is the cost of one more token. */
    showCost(calls: number): void {
      button.textContent = `Add: ${inCalls(calls)}`;
    },
  };
}

/** A sample of a line's color and dashes. `styles/compare.css` defines both by the line's number. */
const sampleOf = (number: number): SVGElement =>
  makeSvg(
    'svg',
    { viewBox: '0 0 36 8', 'aria-hidden': 'true', class: `line-sample line-${number}` },
    makeSvg('path', { d: 'M0 4H36' }),
  );

/** The first date of a line that starts after the others. */
function sinceInWords({ values }: Line, dates: readonly Date[]): string {
  const first = values.findIndex((value) => value !== undefined);
  const date = first > 0 ? dates[first] : undefined;
  return date ? `since ${onDate(date)}` : '';
}

function openLegend(onRemove: (token: TokenName) => void) {
  const list = byId('legend');
  let lines: readonly Line[] = [];
  let items: { value: HTMLElement; note: HTMLElement }[] = [];
  let shown = '';

  function makeItem(token: Token, i: number, since: string): HTMLElement {
    const value = make('span', { class: 'legend-value' });
    const note = make('span', { class: 'soft' });
    items.push({ value, note });
    const remove = makeButton('×', () => onRemove(token.tokenName), 'remove');
    remove.setAttribute('aria-label', `Remove ${token.title}`);
    return make(
      'li',
      { class: 'legend-item' },
      sampleOf(i + 1),
      make(
        'span',
        { class: 'legend-name' },
        token.title,
        ...(since ? [make('span', { class: 'soft' }, ` ${since}`)] : []),
      ),
      value,
      note,
      ...(i > 0 ? [remove] : []),
    );
  }

  return {
    /** Without lines, the legend is hidden. */
    show(next: readonly Line[], dates: readonly Date[]): void {
      lines = next;
      const heads = next.map((line) => [line.token, sinceInWords(line, dates)] as const);
      const text = JSON.stringify(heads.map(([{ tokenName }, since]) => [tokenName, since]));
      // Unchanged items stay, so that a button keeps the focus.
      if (text === shown) return;
      shown = text;
      items = [];
      list.hidden = next.length === 0;
      list.replaceChildren(...heads.map(([token, since], i) => makeItem(token, i, since)));
    },
    /** Without a row, shows each line's last value. */
    read(row: number | undefined, view: HistoryView): void {
      for (const [i, line] of lines.entries()) {
        const [value, note] = rowInWords(line, row ?? lastRow(line), view);
        items[i]?.value.replaceChildren(value);
        items[i]?.note.replaceChildren(note);
      }
    },
    /** Keeps the tokens, and removes their figures. */
    clear(): void {
      for (const { value, note } of items) for (const place of [value, note]) place.replaceChildren();
    },
  };
}

export type Legend = ReturnType<typeof openLegend>;
