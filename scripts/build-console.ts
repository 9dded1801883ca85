import { join } from 'node:path';
import { hasEnded, servedCurrencies } from '#prices/model/currency';
import { PLAN_NAMES, PLANS, perPeriod, termInWords } from '#users/plan';
import { footerHtml } from '#web/page';
import { buildPage, ROOT } from './build-page.ts';

// Builds the console. Run by `npm ci` and `npm run build:console`.

/** The plans in the sign-up form, as JSON for an attribute. */
const plans = () =>
  JSON.stringify(
    PLAN_NAMES.map((name) => ({ name, limit: PLANS[name].limit, term: termInWords(name), per: perPeriod(name) })),
  ).replaceAll('"', '&quot;');

const currencies = () => servedCurrencies(true).filter((code) => !hasEnded(code));

const CHARTS =
  ' Charts: TradingView Lightweight Charts™, © 2026 <a href="https://www.tradingview.com/">TradingView, Inc.</a>';

export const buildConsole = (folder: string): Promise<void> =>
  buildPage(folder, {
    source: join(ROOT, 'packages/console'),
    assets: 'console',
    parts: [],
    fill: {
      plans: plans(),
      currencies: currencies().join(' '),
      footer: footerHtml('./', CHARTS),
    },
  });

if (import.meta.main) await buildConsole(join(ROOT, 'dist/console'));
