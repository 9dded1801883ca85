import type { MarketSample, QuotientClient } from '../client/index.ts';
import { serviceNow } from '../pages/clock.ts';
import { byId, copyButton } from '../pages/dom.ts';
import { at, change, onDate, span } from '../pages/format.ts';
import { answerText } from './api/answer-text.ts';
import { money } from './core/currency.ts';

const PATH = '/v1/sample';
const UPDATE_MS = 10_000;

function inWords({ title, history: { prices } }: MarketSample): string {
  const first = prices[0];
  const last = prices.at(-1);
  if (!first || !last) return '';
  return `${title}, last 30 days: from ${money(first.price, 'usd')} on ${onDate(first.date)} to ${money(last.price, 'usd')} on ${onDate(last.date)}`;
}

/** Shows real prices and the call that returns them on the welcome page. Removes the section if the call fails. */
export function openSample(client: QuotientClient): void {
  const section = byId('sample');
  const call = `curl ${new URL(`.${PATH}`, document.baseURI)}`;

  function showAge(since: Date): void {
    const now = serviceNow();
    const age = span(now - since.getTime());
    byId('sample-age').textContent = `As of ${at(since, now)}, ${age} ago. The line shows the last 30 days.`;
  }

  function show(sample: MarketSample): void {
    const { title, latest, history } = sample;
    const { current_price: price, change_24h: percent } = latest;
    if (price === null || latest.at === null) throw new RangeError('the sample has no price');
    byId('sample-title').textContent = title;
    byId('sample-price').textContent = money(price, 'usd');
    const changed = byId('sample-change');
    changed.textContent = percent === null ? '' : `${change(percent / 100)} in 24 hours`;
    changed.classList.add((percent ?? 0) < 0 ? 'down' : 'up');
    const chart = byId('sample-chart', SVGElement);
    chart.setAttribute('viewBox', `0 0 ${SIZE.width} ${SIZE.height}`);
    chart.setAttribute('aria-label', inWords(sample));
    chart.querySelector('path')?.setAttribute('d', sparkline(history.prices));
    showAge(latest.at);
    setInterval(showAge, UPDATE_MS, latest.at);
    byId('sample-call').textContent = call;
    byId('sample-answer').textContent = answerText(PATH, sample);
    copyButton(byId('sample-copy'), { shown: byId('sample-call') });
    section.classList.add('loaded');
  }

  const observer = new IntersectionObserver(([entry]) => {
    if (!entry?.isIntersecting) return;
    observer.disconnect();
    client
      .sample()
      .then(show)
      .catch(() => section.remove());
  });
  observer.observe(section);
}

export const SIZE = { width: 320, height: 72, edge: 3 } as const;

/** Returns the `d` attribute of an SVG path, scaled to `SIZE`. Equal prices result in a line in the middle. */
export function sparkline(points: readonly { date: Date; price: number }[]): string {
  const { width, height, edge } = SIZE;
  const times = points.map(({ date }) => date.getTime());
  const prices = points.map(({ price }) => price);
  const scale = (values: readonly number[], length: number) => {
    const least = Math.min(...values);
    const most = Math.max(...values);
    const middle = edge + length / 2;
    return (value: number) => (most > least ? edge + ((value - least) / (most - least)) * length : middle);
  };
  const x = scale(times, width - 2 * edge);
  const y = scale(prices, height - 2 * edge);
  const corners = points.map(({ date, price }) => `${x(date.getTime()).toFixed(1)} ${(height - y(price)).toFixed(1)}`);
  return corners.length > 0 ? `M${corners.join('L')}` : '';
}
