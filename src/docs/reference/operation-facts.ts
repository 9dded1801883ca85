import type { Entry, Problem, Shared } from './document.ts';

export function termsOf({ price, takesKey, scope }: Entry): string {
  const key = !takesKey
    ? 'No key required'
    : scope === undefined || scope === 'any'
      ? 'Any key'
      : scope === 'account'
        ? 'Owner key (scope `account`)'
        : `Key with the scope \`${scope}\``;
  return `${price === undefined ? 'Free' : `Costs ${price}`} · ${key}`;
}

/** The operation's problems, except shared problems, which are documented once. */
export function ownProblems({ problems }: Entry, { codes }: Shared): Problem[] {
  const said = new Set(Object.values(codes).flat());
  return problems.filter(({ code }) => !said.has(code));
}

type Shown = { label: string; language: string; text: string };

export const exampleResponses = ({ successes }: Entry): Shown[] =>
  successes.flatMap(({ status, example, csv, events }) => {
    const label = `Response ${status}`;
    const shown: Shown[] = [];
    if (events !== undefined) shown.push({ label, language: 'text', text: events.trimEnd() });
    if (example !== undefined) shown.push({ label, language: 'json', text: JSON.stringify(example, null, 2) });
    if (csv !== undefined) shown.push({ label: `${label}, CSV`, language: 'csv', text: csv.trimEnd() });
    return shown;
  });
