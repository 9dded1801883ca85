import type { StatisticsSymbol } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { buttonGroup, byId, copyButton } from '../../pages/dom.ts';
import { inCalls } from '../../pages/format.ts';
import { answerText, EXAMPLES, type Language, masked, snippet } from '../api/answer-text.ts';
import { type ApiCall, latestPricesCall, statisticsCall, type TokenName, usageCall } from '../api/api-call.ts';
import type { Context } from '../context.ts';
import { type HistoryView, historyCall } from '../history/chart-choice.ts';

const CALLS = [
  ['chart', 'Chart'],
  ['latest', 'Prices'],
  ['statistics', 'Statistics'],
  ['usage', 'Usage'],
] as const;

const LANGUAGES = [
  ['curl', 'curl'],
  ['javascript', 'JavaScript'],
  ['python', 'Python'],
  ['client', 'Client'],
  ['csv', 'curl (CSV)'],
] as const satisfies readonly (readonly [Language, string])[];

/** `batchOf` returns the tokens whose prices are read together with that of a token. */
export function openCallSnippets({ session, allowance }: Context, batchOf: (token: TokenName) => readonly TokenName[]) {
  const reveal = byId('snippet-reveal', HTMLInputElement);
  let view: HistoryView | undefined;
  let symbol: StatisticsSymbol | undefined;
  let name: (typeof CALLS)[number][0] = 'chart';
  let language: Language = 'curl';
  const responses = new Map<string, object>();

  function call(): ApiCall {
    if (!view || name === 'usage') return usageCall;
    if (name === 'statistics' && symbol) return statisticsCall(symbol);
    if (name === 'latest') return latestPricesCall(batchOf(view.token), view.currency);
    return historyCall(view, serviceNow());
  }

  function showResponse(): void {
    const { path } = call();
    const response = name === 'usage' ? allowance.usage() : responses.get(path);
    const example = EXAMPLES[view?.metric === 'candles' && name === 'chart' ? 'candles' : name];
    byId('snippet-answer-title').textContent = response ? 'Response' : 'Example response';
    byId('snippet-answer').textContent = answerText(path, response ?? example, language);
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
      name === 'usage' ? 'free' : `${inCalls(call().cost ?? 1)}, free if the data is unchanged`;
    showResponse();
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
  copyButton(byId('snippet-copy'), { shown: byId('snippet'), text: () => text(session.key) });

  return {
    show(nextView: HistoryView, nextSymbol: StatisticsSymbol | undefined): void {
      view = nextView;
      symbol = nextSymbol;
      update();
    },
    noteResponse(path: string, response: object): void {
      responses.set(path, response);
      if (view && path === call().path) showResponse();
    },
  };
}
