import type { Token } from '../../client/index.ts';
import { findToken } from '../core/tokens.ts';
import { hasCandles, isComparable } from '../history/chart-choice.ts';
import { MOST_COMPARED } from '../history/comparison.ts';
import { commonAvailability } from '../history/intervals.ts';
import { intervalFaults, quoted, type RequestedView } from './address.ts';

export type RequestedTokens = { token: Token; compared: readonly Token[] };

/** The served tokens that a URL compares with `shown`, once each. */
function comparedTokens({ compare, faults }: RequestedView, shown: Token, tokens: readonly Token[]): Token[] {
  const found = compare.flatMap((name) => {
    const token = findToken(tokens, name);
    if (!token) faults.push(`Unknown token ${quoted(name)} in the comparison.`);
    return token && token !== shown ? [token] : [];
  });
  const all = [...new Set(found)];
  if (all.length >= MOST_COMPARED) faults.push(`A chart shows up to ${MOST_COMPARED} tokens. Showing the first ones.`);
  return all.slice(0, MOST_COMPARED - 1);
}

/** Resolves the tokens that a URL names, and adds what cannot be shown to its faults. Undefined without tokens. */
export function resolveTokens(view: RequestedView, tokens: readonly Token[], now: number): RequestedTokens | undefined {
  const { token, metric, faults } = view;
  const found = token === undefined ? undefined : findToken(tokens, token);
  const shown = found ?? tokens[0];
  if (!shown) return undefined;
  if (token !== undefined && !found) faults.push(`Unknown token ${quoted(token)}. Showing ${shown.title}.`);
  const compared = comparedTokens(view, shown, tokens);
  const isAlone = compared.length === 0;
  if (isAlone && metric === 'candles' && !hasCandles(shown)) {
    faults.push(`No candles are available for ${shown.title}. Showing the price.`);
    view.metric = 'prices';
  }
  if (!isAlone && !isComparable(metric)) {
    faults.push('Only prices and market caps can be compared. Showing the price.');
    view.metric = 'prices';
  }
  faults.push(...intervalFaults(view, commonAvailability(shown, compared), now));
  return { token: shown, compared };
}
