import { client } from './client.ts';
import { page } from './console.ts';
import { database } from './database/database.ts';
import { embedded } from './database/embedded.ts';
import { failures } from './failures.ts';
import { http } from './http.ts';
import { mail } from './mail.ts';
import { candles } from './market/candles.ts';
import { catalogue } from './market/catalogue.ts';
import { currency } from './market/currency.ts';
import { market } from './market/market.ts';
import { statistics } from './market/statistics.ts';
import { upstream } from './market/upstream.ts';
import { node } from './node.ts';
import { notices } from './notices.ts';
import { operator } from './operator.ts';
import { accounts } from './quota/accounts.ts';
import { keys } from './quota/keys.ts';
import { leases } from './quota/leases.ts';
import { ledger } from './quota/ledger.ts';
import { usage } from './quota/usage.ts';
import { requests } from './requests.ts';
import { start } from './start.ts';
import { stream } from './stream.ts';

/** The lists by subject. For example, `npm run test:mutations -- ledger` tries one list. */
export const LISTS = {
  ...{ leases, keys, accounts, ledger, usage, market, catalogue, candles, currency, upstream },
  ...{ client, page, database, embedded, failures, http, mail, node, notices, operator, requests, start },
  ...{ statistics, stream },
};
