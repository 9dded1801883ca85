import type { Allowance } from './account/store.ts';
import type { MarketData } from './api/market-data.ts';
import type { Session } from './api/session.ts';
import type { Currency } from './core/currency.ts';
import type { Theme } from './core/facts.ts';
import type { Failures } from './core/failures.tsx';

/** The dependencies that the panels of the page Prices share. */
export type Context = {
  session: Session;
  marketData: MarketData;
  allowance: Allowance;
  currency: Currency;
  theme: Theme;
  /** Whether Prices is the current page. Reads signals, so that an effect can follow it. */
  isVisible: () => boolean;
  failures: Failures;
};
