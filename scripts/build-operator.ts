import { join } from 'node:path';
import { AUDIT_ACTIONS } from '#core/actor';
import { USER_STATES } from '#users/administration/account-report';
import { PLAN_NAMES } from '#users/plan';
import { brandHtml, themeHtml } from '#web/page';
import { buildPage, ROOT } from './build-page.ts';

// Builds the operator's page. Run by `npm ci` and `npm run build:operator`.

const options = (values: readonly string[]) =>
  values.map((value) => `<option value="${value}">${value}</option>`).join('');

export const buildOperatorPage = (folder: string): Promise<void> =>
  buildPage(folder, {
    source: join(ROOT, 'packages/operator'),
    assets: 'operator',
    parts: [],
    fill: {
      brand: brandHtml('./'),
      theme: themeHtml(),
      states: options(USER_STATES),
      plans: options(PLAN_NAMES),
      actions: options(AUDIT_ACTIONS),
    },
  });

if (import.meta.main) await buildOperatorPage(join(ROOT, 'dist/operator'));
