import { accounts } from './accounts.ts';
import { candles } from './candles.ts';
import { catalogue } from './catalogue.ts';
import { client } from './client.ts';
import { page } from './console.ts';
import { currency } from './currency.ts';
import { database } from './database.ts';
import { embedded } from './embedded.ts';
import { http } from './http.ts';
import { keys } from './keys.ts';
import { leases } from './leases.ts';
import { ledger } from './ledger.ts';
import { mail } from './mail.ts';
import { market } from './market.ts';
import { node } from './node.ts';
import { notices } from './notices.ts';
import { start } from './start.ts';
import { statistics } from './statistics.ts';
import { upstream } from './upstream.ts';

/** By what the mistakes are in: `npm run test:mutations -- ledger` tries one list. */
export const LISTS = {
  ...{ leases, keys, accounts, ledger, market, catalogue, candles, currency },
  ...{ client, page, database, embedded, http, mail, node, notices, start, statistics, upstream },
};
