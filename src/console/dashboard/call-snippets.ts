import type { StatisticsSymbol } from '../../client/index.ts';
import type { Session } from '../account/session.ts';
import {
  type ApiCall,
  latestPricesCall,
  statisticsCall,
  type TokenName,
  usageCall,
} from '../api/api-call.ts';
import { type Language, masked, snippet } from '../api/snippets.ts';
import { buttonGroup, byId, copyButton } from '../dom.ts';
import { inCalls } from '../format.ts';
import { type HistoryView, historyCall } from '../history/history-view.ts';

const CALLS = [
  ['chart', 'Chart'],
  ['latest', 'Prices'],
  ['statistics', 'Statistics'],
  ['usage', 'Usage'],
] as const;
type CallName = (typeof CALLS)[number][0];

const LANGUAGES = [
  ['curl', 'curl'],
  ['client', 'Client'],
  ['csv', 'curl, as CSV'],
] as const satisfies readonly (readonly [Language, string])[];

/**
 * The panel with the calls behind the page, to be copied. `batchOf` gives the tokens whose prices come in one call with
 * a token's.
 */
export function openCallSnippets(session: Session, batchOf: (token: TokenName) => readonly TokenName[]) {
  const reveal = byId('snippet-reveal', HTMLInputElement);
  let view: HistoryView | undefined;
  let symbol: StatisticsSymbol | undefined;
  let name: CallName = 'chart';
  let language: Language = 'curl';

  function call(): ApiCall {
    if (!view || name === 'usage') return usageCall;
    if (name === 'statistics' && symbol) return statisticsCall(symbol);
    if (name === 'latest') return latestPricesCall(batchOf(view.token), view.currency);
    return historyCall(view, Date.now());
  }

  const text = (key: string) => snippet(call(), language, session.baseUrl.replace(/\/$/, ''), key);

  function update(): void {
    if (name === 'statistics' && !symbol) name = 'chart';
    const isCsvOffered = call().hasCsv === true;
    if (language === 'csv' && !isCsvOffered) language = 'curl';
    calls.offer((one) => one !== 'statistics' || symbol !== undefined);
    languages.offer((one) => one !== 'csv' || isCsvOffered);
    calls.select(name);
    languages.select(language);
    byId('snippet').textContent = text(reveal.checked ? session.key : masked(session.key));
    byId('snippet-note').textContent =
      name === 'usage' ? 'free' : `${inCalls(call().cost ?? 1)}, free if nothing changed`;
  }

  const calls = buttonGroup(byId('snippet-calls'), CALLS, (selected) => {
    name = selected;
    update();
  });
  const languages = buttonGroup(byId('snippet-languages'), LANGUAGES, (selected) => {
    language = selected;
    update();
  });
  reveal.addEventListener('change', update);
  copyButton(byId('snippet-copy'), () => text(session.key));

  return {
    show(nextView: HistoryView, nextSymbol: StatisticsSymbol | undefined): void {
      view = nextView;
      symbol = nextSymbol;
      update();
    },
    /** Removes the key from the page. */
    clear(): void {
      reveal.checked = false;
      byId('snippet').textContent = '';
    },
  };
}
