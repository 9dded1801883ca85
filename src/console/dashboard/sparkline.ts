import type { PriceSeries } from '../../client/index.ts';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 96;
const HEIGHT = 28;
const EDGE = 2;

/** A small line without axes: the shape of the last two days. The exact values are in the table beside it. */
export function sparkline(points: PriceSeries['prices']): SVGElement {
  const prices = points.map(({ price }) => price);
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const y = (price: number) =>
    high === low ? HEIGHT / 2 : HEIGHT - EDGE - ((price - low) / (high - low)) * (HEIGHT - 2 * EDGE);
  const x = (i: number) => EDGE + (i / Math.max(1, prices.length - 1)) * (WIDTH - 2 * EDGE);
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute('class', 'sparkline');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(SVG, 'polyline');
  line.setAttribute(
    'points',
    prices.map((price, i) => `${x(i).toFixed(1)},${y(price).toFixed(1)}`).join(' '),
  );
  svg.append(line);
  return svg;
}
