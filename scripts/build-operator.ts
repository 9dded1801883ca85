import { join } from 'node:path';
import { AUDIT_ACTIONS } from '#core/actor';
import { USER_STATES } from '#users/administration/account-report';
import { PLAN_NAMES } from '#users/plan';
import { buildPage, ROOT } from './build-page.ts';

// Builds the operator's page. Run by `npm ci` and `npm run build:operator`.

export const buildOperatorPage = (folder: string): Promise<void> =>
  buildPage(folder, {
    source: join(ROOT, 'packages/operator'),
    assets: 'operator',
    parts: [],
    fill: { states: USER_STATES.join(' '), plans: PLAN_NAMES.join(' '), actions: AUDIT_ACTIONS.join(' ') },
  });

if (import.meta.main) await buildOperatorPage(join(ROOT, 'dist/operator'));
