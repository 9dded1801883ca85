import type { StatisticsSymbol } from '../client/index.ts';
import { type Call, hasCsv } from './call.ts';
import { byId, choice, copyFrom } from './dom.ts';
import type { Session } from './session.ts';
import { type Language, masked, snippet } from './snippets.ts';
import { historyCall, type View } from './view.ts';

const SUBJECTS = [
  ['chart', 'Chart'],
  ['latest', 'Price'],
  ['yesterday', 'Last 48 hours'],
  ['statistics', 'Statistics'],
  ['usage', 'Allowance'],
] as const;
type Subject = (typeof SUBJECTS)[number][0];

const LANGUAGES = [
  ['curl', 'curl'],
  ['client', 'Client'],
  ['csv', 'curl, as CSV'],
] as const satisfies readonly (readonly [Language, string])[];

/** The calls that made what is on the page, to be copied. */
export function openCalls(session: Session) {
  const reveal = byId('snippet-reveal', HTMLInputElement);
  let view: View | undefined;
  let statistics: StatisticsSymbol | undefined;
  let subject: Subject = 'chart';
  let language: Language = 'curl';

  function call(): Call {
    if (!view) return { kind: 'usage' };
    switch (subject) {
      case 'chart':
        return historyCall(view);
      case 'latest':
        return { kind: 'latest', token: view.token };
      case 'yesterday':
        return { kind: 'days', token: view.token, days: 2 };
      case 'statistics':
        return statistics ? { kind: 'statistics', token: statistics } : { kind: 'latest', token: view.token };
      case 'usage':
        return { kind: 'usage' };
    }
  }

  const text = (key: string) => snippet(call(), language, session.baseUrl.replace(/\/$/, ''), key);

  function show(): void {
    if (subject === 'statistics' && !statistics) subject = 'chart';
    if (language === 'csv' && !hasCsv(call())) language = 'curl';
    subjects.offer((one) => one !== 'statistics' || statistics !== undefined);
    languages.offer((one) => one !== 'csv' || hasCsv(call()));
    subjects.show(subject);
    languages.show(language);
    byId('snippet').textContent = text(reveal.checked ? session.key : masked(session.key));
    byId('snippet-note').textContent =
      subject === 'usage' ? 'free of charge' : 'one call, free where nothing changed';
  }

  const subjects = choice(byId('subjects'), SUBJECTS, (chosen) => {
    subject = chosen;
    show();
  });
  const languages = choice(byId('languages'), LANGUAGES, (chosen) => {
    language = chosen;
    show();
  });
  reveal.addEventListener('change', show);
  copyFrom(byId('snippet-copy'), () => text(session.key));

  return {
    show(next: View, symbol: StatisticsSymbol | undefined): void {
      view = next;
      statistics = symbol;
      show();
    },
    /** No key is on the page any more. */
    forget(): void {
      reveal.checked = false;
      byId('snippet').textContent = '';
    },
  };
}
