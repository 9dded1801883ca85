import { signal } from '@preact/signals';
import type { Plan } from '../../client/index.ts';

export type ServiceFacts = { registration: 'open' | 'verified' | 'closed'; sendsMail: boolean };

/** Reads the attributes of the root element. A missing attribute means the service's default. */
export const factsOf = ({ dataset }: { dataset: Readonly<Record<string, string | undefined>> }): ServiceFacts => ({
  registration: (dataset.registration ?? 'open') as ServiceFacts['registration'],
  sendsMail: 'mail' in dataset,
});

/** `limit`: calls per period. `term` and `per` are the length of a period: `one month`, `a month`. */
export type PlanFacts = { name: Plan; limit: number; term: string; per: string };

/** Reads the plans, which the build writes into an attribute of the page. */
export const plansOf = ({ dataset: { plans = '[]' } }: { dataset: Readonly<Record<string, string | undefined>> }) =>
  JSON.parse(plans) as readonly PlanFacts[];

/** Follows the theme. `theme.js` sets `data-theme` before the first paint and when the user changes the theme. */
export function openTheme() {
  const changes = signal(0);
  const notify = () => {
    changes.value += 1;
  };
  new MutationObserver(notify).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', notify);

  const probe = document.createElement('span');
  probe.hidden = true;
  probe.style.forcedColorAdjust = 'none';
  document.body.append(probe);

  return {
    /** The color of a CSS variable, as a color without variables. Reads a signal, so that an effect can follow the theme. */
    color(name: `--${string}`): string {
      void changes.value;
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    },
  };
}

export type Theme = ReturnType<typeof openTheme>;
