import { batch, computed, signal } from '@preact/signals';
import type { Token, TokenName } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { saveFile } from '../../pages/download.ts';
import { toError } from '../../pages/problem.ts';
import type { Interval } from '../api/api-call.ts';
import type { Context } from '../context.ts';
import type { PanelFailure } from '../core/failures.tsx';
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

/** What the panel shows. */
function newSignals(changeOf: ChangeOf) {
  const view = signal(choice.DEFAULT_VIEW);
  const catalogue = signal<readonly Token[]>([]);
  const tokens = signal<readonly Token[]>([]);
  const shown = signal<{ view: View; loaded: LoadedHistory } | undefined>(undefined);
  const loaded = computed(() => shown.value?.loaded ?? []);
  const drawn = computed(() => shown.value && drawnOfLoaded(shown.value.view, shown.value.loaded));
  const position = createPosition(drawn);
  return {
    ...createOffers(view, tokens, catalogue),
    view,
    catalogue,
    /** The tokens whose lines the chart shows. */
    tokens,
    titles: computed(() => tokens.value.map(({ title }) => title).join(', ')),
    shown,
    loaded,
    drawn,
    position,
    reading: computed(() => {
      const at = { index: position.index.value, last: position.limits.value[1] };
      return readingOf(drawn.value, at, tokens.value[0]?.symbol ?? '', changeOf(view.value.token));
    }),
    isSample: computed(() => loaded.value.some(({ result }) => result.isSample)),
    age: computed(() => shown.value && ageOf(loaded.value)),
    gaps: computed(() => gapsInWords(loaded.value)),
    costOfOneMore: computed(() => costOfOneMore(loaded.value)),
    /** The user must request the chart, because each chart costs a call. */
    isWanted: signal(false),
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
}

type Panel = ReturnType<typeof newSignals> &
  Pick<Context, 'marketData' | 'currency'> & {
    failure: PanelFailure;
    onView: (view: View) => void;
    /** The interval that the user has chosen, or undefined for the default. */
    chosenInterval?: Interval | undefined;
    /** Only the response of the latest load is shown. */
    turn: number;
  };

function change({ view }: Panel, parts: Partial<View>): void {
  view.value = { ...view.value, ...parts };
}

/** Draws the loaded data. `isSamePart` keeps the visible part. */
function draw({ shown, position, state }: Panel, loaded: LoadedHistory, view: View, isSamePart = false): void {
  batch(() => {
    shown.value = { view, loaded };
    position.reset(isSamePart);
    state.value = position.count.value > 0 ? '' : `No ${choice.metricInWords(view.metric)} data in this time range.`;
  });
}

function clear({ shown, position, state }: Panel, reason: string): void {
  shown.value = undefined;
  position.reset(false);
  state.value = reason;
}

function clearProblem({ unavailable, failure }: Panel): void {
  unavailable.value = undefined;
  failure.clear();
}

type LoadOptions = { refresh?: boolean; isFree?: boolean; keeps?: boolean };

/** With `isFree`, loads only a free chart. Otherwise, offers to load the chart. `keeps` reuses the shown figures. */
async function load(panel: Panel, { refresh = false, isFree = false, keeps = false }: LoadOptions = {}): Promise<void> {
  const { view, tokens, loaded, state, isLoading, isNotLoaded, failure } = panel;
  const [token] = tokens.value;
  if (!token) return;
  panel.turn += 1;
  const ownTurn = panel.turn;
  const now = serviceNow();
  const known = keeps ? loaded.value : [];
  const retry = () => load(panel);
  batch(() => {
    if (!isFree) panel.isWanted.value = true;
    isNotLoaded.value = false;
    isLoading.value = true;
    panel.fault.value = '';
    const interval = intervalFor(view.value, panel.chosenInterval, panel.available.value, now);
    change(panel, { interval, currency: panel.currency.code });
    // Another token's figures must not appear under this token's name.
    if (loaded.value[0]?.token.tokenName !== token.tokenName) clear(panel, '');
    state.value = 'Loading…';
  });
  panel.onView(view.value);
  try {
    const next = await loadHistory(panel.marketData, view.value, { tokens: tokens.value, now, refresh, isFree, known });
    // The figures appear together with the chart.
    if (next) await import('./chart.ts');
    if (ownTurn !== panel.turn) return;
    clearProblem(panel);
    isNotLoaded.value = next === undefined;
    if (!next) return clear(panel, NOT_LOADED);
    draw(panel, next, view.value);
    const age = ageOf(next);
    if (age.failure) return failure.report(age.failure, retry, true);
    const { metric } = view.value;
    panel.position.said.value = `${panel.titles.value}, ${choice.metricInWords(metric)}, ${choice.rangeInWords(view.value)}: loaded`;
  } catch (thrown) {
    if (ownTurn !== panel.turn) return;
    // The old chart does not match the selection.
    clear(panel, 'No data.');
    clearProblem(panel);
    const failed = { view: view.value, token, error: toError(thrown), now };
    if (choice.isUnavailable(failed)) panel.unavailable.value = failed;
    else failure.report(thrown, retry);
  } finally {
    if (ownTurn === panel.turn) isLoading.value = false;
  }
}

/** Loads the chosen chart, or draws the loaded data in another way. */
function choose(panel: Panel, parts: Choice): void {
  const { view, isCustom, shown } = panel;
  const { metric, range, interval } = parts;
  panel.fault.value = '';
  const isOtherCall = range || interval || (metric && (metric === 'candles') !== (view.value.metric === 'candles'));
  if (range) isCustom.value = range === 'custom';
  if (interval || (range && !isCustom.value)) panel.chosenInterval = interval;
  change(panel, parts);
  if (isOtherCall) return void load(panel);
  panel.onView(view.value);
  // A running load draws the data in this way.
  if (!shown.value || panel.isLoading.value) return;
  draw(panel, shown.value.loaded, { ...shown.value.view, ...parts }, !metric);
}

function showTokens(panel: Panel, next: readonly Token[]): void {
  batch(() => {
    panel.tokens.value = next;
    const [token, ...compare] = next.map(({ tokenName }) => tokenName);
    if (token) change(panel, { token, compare, listed: next[0]?.listed ?? '' });
    if (panel.metricFault(panel.view.value.metric) !== '') change(panel, { metric: 'prices' });
  });
}

function compareWith(panel: Panel, next: readonly Token[]): void {
  showTokens(panel, next);
  void load(panel, { keeps: true });
}

/** The state of the chart panel. `onView` receives each view that is loaded or drawn. */
export function createHistoryStore(context: Context, changeOf: ChangeOf, onView: (view: View) => void) {
  const { marketData, currency, theme, failures } = context;
  const signals = newSignals(changeOf);
  const { catalogue, tokens, loaded, drawn, isWanted, isCustom, opened } = signals;
  const failure = failures.open();
  const panel: Panel = { ...signals, marketData, currency, failure, onView, turn: 0 };
  return {
    ...signals,
    theme,
    failure,
    load: (options?: LoadOptions) => load(panel, options),
    choose: (parts: Choice) => choose(panel, parts),
    setTokens(next: readonly Token[]): void {
      catalogue.value = next;
    },
    /** The number of calls that a refresh of the chart costs. */
    cost: () => (isWanted.value ? tokens.value.length : 0),
    openDates(): void {
      isCustom.value = true;
      opened.value += 1;
    },

    add(text: string): void {
      const found = findToken(catalogue.value, text);
      if (found) compareWith(panel, [...tokens.value, found]);
    },
    remove(removed: Token): void {
      const others = tokens.value.filter((one) => one !== removed);
      compareWith(panel, others);
    },
    saveCsv(): void {
      const [one] = loaded.value;
      if (!drawn.value || !one) return;
      saveFile(fileName(drawn.value.view), new Blob([csvOf(drawn.value, one.result.value)], { type: 'text/csv' }));
    },

    restore({ metric, range, scale, mode, interval, from, thru }: Restored): void {
      panel.chosenInterval = interval;
      isCustom.value = range === 'custom';
      opened.value = 0;
      change(panel, { metric, range, scale, mode, from, thru });
    },
    select: (next: Token, compared: readonly Token[]): void => showTokens(panel, [next, ...compared]),
  };
}

export type HistoryStore = ReturnType<typeof createHistoryStore>;
