import { batch, computed, signal } from '@preact/signals';
import type { Token, TokenName } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { saveFile } from '../../pages/download.ts';
import { toError } from '../../pages/problem.ts';
import type { Interval } from '../api/api-call.ts';
import type { Context } from '../context.ts';
import * as choice from './chart-choice.ts';
import { findToken } from './comparison.ts';
import { ageOf, costOfOneMore, drawnOfLoaded, gapsInWords, type LoadedHistory, loadHistory } from './history-load.ts';
import { intervalFor } from './intervals.ts';
import { createOffers } from './offers.ts';
import { createPosition } from './position.ts';
import { csvOf, fileName, readingOf } from './readout.ts';

type View = choice.HistoryView;
type Choice = Partial<Pick<View, 'metric' | 'range' | 'scale' | 'mode' | 'interval' | 'from' | 'thru'>>;
type Restored = Required<Omit<Choice, 'interval'>> & { interval: Interval | undefined };

const NOT_LOADED = 'Not loaded. The free sample is the price of bitcoin in the last 30 days, in US dollars.';

/** The service's 24-hour change of a token, in percent. Reads signals. */
type ChangeOf = (token: TokenName) => number | null | undefined;

/** The state of the chart panel. `onView` receives each view that is loaded or drawn. */
export function createHistoryStore(context: Context, changeOf: ChangeOf, onView: (view: View) => void) {
  const { marketData, theme, currency, failures } = context;
  const signals = {
    view: signal(choice.DEFAULT_VIEW),
    catalogue: signal<readonly Token[]>([]),
    /** The tokens whose lines the chart shows. */
    tokens: signal<readonly Token[]>([]),
    /** Whether the dates of a custom range can be entered, and how often the user opened them. */
    isCustom: signal(false),
    opened: signal(0),
    isLoading: signal(false),
    isNotLoaded: signal(false),
    state: signal(''),
    unavailable: signal<choice.Unavailable | undefined>(undefined),
    /** Why the last selection of the user is not available. */
    fault: signal(''),
  };
  const { view, catalogue, tokens, isCustom, isLoading, isNotLoaded, state, unavailable, fault } = signals;
  const failure = failures.open();
  /** The user must request the chart, because each chart costs a call. */
  const isWanted = signal(false);
  const shown = signal<{ view: View; loaded: LoadedHistory } | undefined>(undefined);
  const loaded = computed(() => shown.value?.loaded ?? []);
  const drawn = computed(() => shown.value && drawnOfLoaded(shown.value.view, shown.value.loaded));
  const position = createPosition(drawn);
  const offers = createOffers(view, tokens, catalogue);
  const { available, metricFault } = offers;
  const titles = computed(() => tokens.value.map(({ title }) => title).join(', '));
  /** The interval that the user has chosen, or undefined for the default. */
  let chosenInterval: Interval | undefined;
  /** Only the response of the latest load is shown. */
  let turn = 0;

  const change = (parts: Partial<View>) => {
    view.value = { ...view.value, ...parts };
  };

  /** Draws the loaded data. `isSamePart` keeps the visible part. */
  function draw(next: LoadedHistory, drawnView: View, isSamePart = false): void {
    batch(() => {
      shown.value = { view: drawnView, loaded: next };
      position.reset(isSamePart);
      state.value =
        position.count.value > 0 ? '' : `No ${choice.metricInWords(drawnView.metric)} data in this time range.`;
    });
  }
  function clear(reason: string): void {
    shown.value = undefined;
    position.reset(false);
    state.value = reason;
  }
  function clearProblem(): void {
    unavailable.value = undefined;
    failure.clear();
  }

  /** With `isFree`, loads only a free chart. Otherwise, offers to load the chart. `keeps` reuses the shown figures. */
  async function load({ refresh = false, isFree = false, keeps = false } = {}): Promise<void> {
    const [token] = tokens.value;
    if (!token) return;
    turn += 1;
    const ownTurn = turn;
    const now = serviceNow();
    const known = keeps ? loaded.value : [];
    batch(() => {
      if (!isFree) isWanted.value = true;
      isNotLoaded.value = false;
      isLoading.value = true;
      fault.value = '';
      const interval = intervalFor(view.value, chosenInterval, available.value, now);
      change({ interval, currency: currency.code });
      // Another token's figures must not appear under this token's name.
      if (loaded.value[0]?.token.tokenName !== token.tokenName) clear('');
      state.value = 'Loading…';
    });
    onView(view.value);
    try {
      const next = await loadHistory(marketData, view.value, { tokens: tokens.value, now, refresh, isFree, known });
      // The figures appear together with the chart.
      if (next) await import('./chart.ts');
      if (ownTurn !== turn) return;
      clearProblem();
      isNotLoaded.value = next === undefined;
      if (!next) return clear(NOT_LOADED);
      draw(next, view.value);
      const age = ageOf(next);
      if (age.failure) return failure.report(age.failure, load, true);
      const { metric } = view.value;
      position.said.value = `${titles.value}, ${choice.metricInWords(metric)}, ${choice.rangeInWords(view.value)}: loaded`;
    } catch (thrown) {
      if (ownTurn !== turn) return;
      // The old chart does not match the selection.
      clear('No data.');
      clearProblem();
      const failed = { view: view.value, token, error: toError(thrown), now };
      if (choice.isUnavailable(failed)) unavailable.value = failed;
      else failure.report(thrown, load);
    } finally {
      if (ownTurn === turn) isLoading.value = false;
    }
  }

  /** Loads the chosen chart, or draws the loaded data in another way. */
  function choose(parts: Choice): void {
    const { metric, range, interval } = parts;
    fault.value = '';
    const isOtherCall = range || interval || (metric && (metric === 'candles') !== (view.value.metric === 'candles'));
    if (range) isCustom.value = range === 'custom';
    if (interval || (range && !isCustom.value)) chosenInterval = interval;
    change(parts);
    if (isOtherCall) return void load();
    onView(view.value);
    // A running load draws the data in this way.
    if (shown.value && !isLoading.value) draw(loaded.value, { ...shown.value.view, ...parts }, !metric);
  }

  function showTokens(next: readonly Token[]): void {
    batch(() => {
      tokens.value = next;
      const [token, ...compare] = next.map(({ tokenName }) => tokenName);
      if (token) change({ token, compare, listed: next[0]?.listed ?? '' });
      if (metricFault(view.value.metric) !== '') change({ metric: 'prices' });
    });
  }
  function compareWith(next: readonly Token[]): void {
    showTokens(next);
    void load({ keeps: true });
  }

  return {
    ...signals,
    ...offers,
    ...{ theme, failure, drawn, position, load, choose },
    titles: () => titles.value,
    compared: () => view.value.compare,
    isWanted: () => isWanted.value,
    setTokens(next: readonly Token[]): void {
      catalogue.value = next;
    },
    reading: computed(() => {
      const at = { index: position.index.value, last: position.limits.value[1] };
      return readingOf(drawn.value, at, tokens.value[0]?.symbol ?? '', changeOf(view.value.token));
    }),
    isSample: computed(() => loaded.value.some(({ result }) => result.isSample)),
    age: computed(() => shown.value && ageOf(loaded.value)),
    gaps: computed(() => gapsInWords(loaded.value)),
    /** The number of calls that a refresh of the chart costs. */
    cost: () => (isWanted.value ? tokens.value.length : 0),
    costOfOneMore: computed(() => costOfOneMore(loaded.value)),
    openDates(): void {
      isCustom.value = true;
      signals.opened.value += 1;
    },

    add(text: string): void {
      const found = findToken(catalogue.value, text);
      if (found) compareWith([...tokens.value, found]);
    },
    remove: (removed: Token) => compareWith(tokens.value.filter((one) => one !== removed)),
    saveCsv(): void {
      const [one] = loaded.value;
      if (!drawn.value || !one) return;
      saveFile(fileName(drawn.value.view), new Blob([csvOf(drawn.value, one.result.value)], { type: 'text/csv' }));
    },

    restore({ metric, range, scale, mode, interval, from, thru }: Restored): void {
      chosenInterval = interval;
      isCustom.value = range === 'custom';
      signals.opened.value = 0;
      change({ metric, range, scale, mode, from, thru });
    },
    select: (next: Token, compared: readonly Token[]): void => showTokens([next, ...compared]),
  };
}

export type HistoryStore = ReturnType<typeof createHistoryStore>;
