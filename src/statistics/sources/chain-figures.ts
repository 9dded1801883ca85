import { SECOND } from '#core/clock';
import { FIGURES, type Figure } from '#statistics/figures';
import { tokenStatistics } from '#statistics/records';
import type { ChainSample } from '#statistics/statistics-sources';
import { UpstreamFailure } from '#upstream/failure';

/**
 * How each figure is made of a source's answer: null or undefined where the answer does not tell it. A comment on each
 * names the field, its unit and the conversion. What is not in here the source does not tell.
 */
export type FigureRules<Answer> = Partial<Record<Figure, (answer: Answer) => number | null | undefined>>;

/** The figures that there are rules for, in the order of the record. */
export const figuresTold = (rules: FigureRules<never>): readonly Figure[] =>
  FIGURES.filter((figure) => figure in rules);

/** The nearest whole number, for a mean of what is published as one. */
export const rounded = (figure: number | null | undefined) => (figure == null ? null : Math.round(figure));

/** Figures that are above zero on every chain that has them. Sources report 0 for an unknown value; it is dropped. */
const NEVER_ZERO: ReadonlySet<Figure> = new Set<Figure>([
  'unique_addresses_all_time',
  'block_height',
  'hashrate',
  'difficulty',
  'block_time',
  'block_size',
  'current_supply',
  'transaction_count',
  'transaction_count_all_time',
]);

/**
 * A sample of what an answer tells. Throws `UpstreamFailure`: `unexpected` for a figure that cannot be one (negative,
 * a fraction of a transaction, too large to be held), `empty` when there is no figure at all.
 *
 * @param at the sample's own time, Unix ms
 */
export function sampleOf<Answer>(
  upstream: string,
  rules: FigureRules<Answer>,
  answer: Answer,
  at: number,
): ChainSample {
  const figures: ChainSample['figures'] = {};
  for (const figure of FIGURES) {
    const value = rules[figure]?.(answer) ?? null;
    if (value === null || (value === 0 && NEVER_ZERO.has(figure))) continue;
    // The published record says which figures are whole numbers.
    if (value < 0 || !tokenStatistics.shape[figure].safeParse(value).success) {
      throw new UpstreamFailure(upstream, 'unexpected', `${figure} cannot be ${value}`);
    }
    figures[figure] = value;
  }
  if (Object.keys(figures).length === 0) throw new UpstreamFailure(upstream, 'empty', 'not one figure');
  return { at: Math.floor(at / SECOND) * SECOND, figures };
}
