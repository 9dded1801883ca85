export type ServiceFacts = { registration: 'open' | 'verified' | 'closed'; sendsMail: boolean };

const MODES: Readonly<Record<string, ServiceFacts['registration']>> = {
  open: 'open',
  verified: 'verified',
  closed: 'closed',
};

/** Reads the attributes of the root element. A missing attribute means the service's default. */
export function factsOf({ dataset }: { dataset: Readonly<Record<string, string | undefined>> }): ServiceFacts {
  return { registration: MODES[dataset.registration ?? ''] ?? 'open', sendsMail: 'mail' in dataset };
}

/** `limit`: calls per period. `term` and `per` are the length of a period: `one month`, `a month`. */
export type PlanFacts = { name: 'monthly' | 'yearly'; limit: number; term: string; per: string };

/** Reads the plans, which the build writes into an attribute of the page. */
export const plansOf = ({ dataset: { plans = '[]' } }: { dataset: Readonly<Record<string, string | undefined>> }) =>
  JSON.parse(plans) as readonly PlanFacts[];

/** Follows the theme. `theme.js` sets `data-theme` before the first paint and when the user changes the theme. */
export function openTheme() {
  const listeners: (() => void)[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  new MutationObserver(notify).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', notify);

  return {
    onChange: (listener: () => void) => void listeners.push(listener),
    color: (name: `--${string}`) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
  };
}

export type Theme = ReturnType<typeof openTheme>;
