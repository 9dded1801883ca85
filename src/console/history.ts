import type { PriceSeries, Token } from '../client/index.ts';
import { tellAge } from './age.ts';
import { byId, choice, make, say } from './dom.ts';
import { onDate, onDateAt } from './format.ts';
import type { Market } from './market.ts';
import type { Plot } from './plot.ts';
import { openPointsTable } from './points-table.ts';
import type { OnError } from './problem.ts';
import { openReading } from './reading.ts';
import { seriesToCsv } from './series-csv.ts';
import type { Shown } from './shown.ts';
import type { Theme } from './theme.ts';
import { titleOf } from './titles.ts';
import { historyCall, METRICS, metricInWords, SPANS, spanInWords, type View } from './view.ts';

const DAY = 86_400_000;
const dateText = (ms: number) => new Date(ms).toISOString().slice(0, 10);

type Parts = {
  market: Market;
  theme: Theme;
  onError: OnError;
  /** Something else is looked at. */
  onView: (view: View) => void;
};

/** The chart with its controls. */
export function openHistory({ market, theme, onError, onView }: Parts) {
  const [panel, problem] = [byId('history'), byId('chart-problem')];
  const [state, gaps] = [byId('chart-state'), byId('chart-gaps')];
  const element = byId('chart');
  const save = byId('export', HTMLButtonElement);
  const dates = byId('dates', HTMLFormElement);
  const [from, thru] = ['from', 'thru'].map((name) => dates.elements.namedItem(name) as HTMLInputElement);
  const tell = tellAge(byId('chart-age'));
  const showTable = openPointsTable();
  let plot: Plot | undefined;
  const reading = openReading(() => plot);
  const view: View = { token: 'bitcoin', metric: 'prices', span: '30', from: '', thru: '' };
  let token: Token | undefined;
  let shown: Shown<PriceSeries> | undefined;
  /** Of several questions, only the last one's answer is shown. */
  let asked = 0;

  async function drawn(): Promise<Plot> {
    const { openPlot } = await import('./plot.ts');
    plot ??= openPlot(element, theme, reading.at);
    return plot;
  }

  async function render(): Promise<void> {
    if (!shown) return;
    const points = shown.value[view.metric];
    const chart = await drawn();
    element.classList.toggle('empty', points.length === 0);
    chart.show(points, view.metric);
    reading.show({ points, view: { ...view } });
    showTable(points, view.metric);
    state.textContent = points.length > 0 ? '' : `There is no ${metricInWords(view.metric)} in this span.`;
  }

  function tellGaps({ gaps: missing }: Shown<PriceSeries>): void {
    gaps.hidden = missing.length === 0;
    // Of daily points the dates are missing, of finer ones the instants.
    const write = (text: string) => (text.includes('T') ? onDateAt : onDate)(new Date(text));
    const spans = missing.map((gap) => `${write(gap.from)} to ${write(gap.thru)}`);
    gaps.textContent = `Cannot be had here, since the source does not reach back or is away: ${spans.join('; ')}.`;
  }

  async function load({ again = false } = {}): Promise<void> {
    asked += 1;
    const mine = asked;
    panel.setAttribute('aria-busy', 'true');
    problem.replaceChildren();
    state.textContent = 'Loading…';
    save.disabled = true;
    onView({ ...view });
    try {
      const answer = await market.ask(historyCall(view), { again });
      if (mine !== asked) return;
      shown = answer;
      await render();
      tell(answer);
      tellGaps(answer);
      save.disabled = false;
      say(`${titleOf(view.token)}, ${metricInWords(view.metric)}, ${spanInWords(view)}: shown`);
    } catch (error) {
      if (mine !== asked) return;
      // What was there before is not what is asked for now.
      shown = undefined;
      element.classList.add('empty');
      byId('reading-value').textContent = '\u00a0';
      byId('reading-note').textContent = '\u00a0';
      state.textContent = 'Nothing to show.';
      tell(undefined);
      gaps.hidden = true;
      onError(error, problem, () => void load());
    } finally {
      if (mine === asked) panel.setAttribute('aria-busy', 'false');
    }
  }

  const metrics = choice(byId('metrics'), METRICS, (metric) => {
    view.metric = metric;
    metrics.show(metric);
    onView({ ...view });
    // The answer has all three: to look at another costs nothing.
    void render();
  });
  const spans = choice(byId('spans'), SPANS, (span) => {
    spans.show(span);
    dates.hidden = span !== 'dates';
    if (span === 'dates') return from?.focus();
    view.span = span;
    void load();
  });
  dates.addEventListener('submit', (event) => {
    event.preventDefault();
    Object.assign(view, { span: 'dates', from: from?.value, thru: thru?.value });
    void load();
  });
  save.addEventListener('click', () => {
    if (!shown) return;
    const file = new Blob([seriesToCsv(shown.value)], { type: 'text/csv' });
    const url = URL.createObjectURL(file);
    const name =
      view.span === 'dates' ? `${view.from}_${view.thru}` : view.span === '36500' ? 'all' : `${view.span}d`;
    make('a', { href: url, download: `${view.token}-${name}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
  metrics.show(view.metric);
  spans.show(view.span);

  function bound(): void {
    const today = dateText(Date.now());
    for (const input of [from, thru]) {
      if (!input) continue;
      input.min = token?.listed ?? '';
      input.max = today;
    }
    if (from && !from.value) from.value = dateText(Date.now() - 14 * DAY);
    if (thru && !thru.value) thru.value = today;
  }

  return {
    load,
    select(next: Token): void {
      token = next;
      view.token = next.tokenName;
      byId('chart-title').textContent = `${titleOf(next.tokenName)} history`;
      bound();
    },
  };
}
