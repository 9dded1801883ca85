import { DAY } from '#core/clock';
import { type Parsed, readBy } from '#core/forms/setting-forms';
import { parseUsageRetention } from './usage/usage-retention.ts';

export const ledgerVariables = {
  USAGE_RETENTION: readBy(parseUsageRetention).default(400 * DAY),
};

export const ledgerSettings = (env: Parsed<typeof ledgerVariables>) => ({ usageRetention: env.USAGE_RETENTION });
