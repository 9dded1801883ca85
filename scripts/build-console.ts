import { join } from 'node:path';
import { hasEnded, servedCurrencies } from '#prices/model/currency';
import { PLAN_NAMES, PLANS, perPeriod, termInWords } from '#users/plan';
import { footerHtml } from '#web/page';
import { buildPage, ROOT } from './build-page.ts';

// Builds the console. Run by `npm ci` and `npm run build:console`.

/** The plans in the sign-up form. The first plan is selected. */
const planChoice = () =>
  PLAN_NAMES.map((name, index) => {
    const { limit } = PLANS[name];
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    return `<label class="plan"><input type="radio" name="plan" value="${name}" data-term="${termInWords(name)}"${index === 0 ? ' checked' : ''}> \
<span><strong>${title}</strong> <span data-count="${limit}">${limit.toLocaleString('en-US')}</span> calls ${perPeriod(name)}</span></label>`;
  }).join('\n');

const currencies = () => servedCurrencies(true).filter((code) => !hasEnded(code));

const CHARTS =
  ' Charts: TradingView Lightweight Charts™, © 2026 <a href="https://www.tradingview.com/">TradingView, Inc.</a>';

/** The parts are the dialogs, the fields of a key, and the view for visitors who are not signed in. */
export const buildConsole = (folder: string): Promise<void> =>
  buildPage(folder, {
    source: join(ROOT, 'packages/console'),
    assets: 'console',
    parts: ['dialogs', 'key-fields', 'entrance'],
    fill: {
      plans: planChoice(),
      currencies: currencies().join(' '),
      footer: footerHtml('./', CHARTS),
    },
  });

if (import.meta.main) await buildConsole(join(ROOT, 'dist/console'));
