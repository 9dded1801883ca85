import type { PriceSeries } from '../client/index.ts';
import { draw } from './dom.ts';

const WIDTH = 96;
const HEIGHT = 28;
const EDGE = 2;

/** A line without axes: the shape of the last two days, for the eye; the figures are beside it. */
export function spark(points: PriceSeries['prices']): SVGElement {
  const svg = draw('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'spark', 'aria-hidden': 'true' });
  const figures = points.map(({ price }) => price);
  const [low, high] = [Math.min(...figures), Math.max(...figures)];
  const y = (figure: number) =>
    high === low ? HEIGHT / 2 : HEIGHT - EDGE - ((figure - low) / (high - low)) * (HEIGHT - 2 * EDGE);
  const x = (i: number) => EDGE + (i / Math.max(1, figures.length - 1)) * (WIDTH - 2 * EDGE);
  const line = figures.map((figure, i) => `${x(i).toFixed(1)},${y(figure).toFixed(1)}`).join(' ');
  svg.append(draw('polyline', { points: line }));
  return svg;
}
