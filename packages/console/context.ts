import type { OnError } from '../pages/problem.ts';
import type { Allowance } from './account/allowance.ts';
import type { MarketData } from './api/market-data.ts';
import type { Session } from './api/session.ts';
import type { Currency } from './core/currency.ts';
import type { Theme } from './core/facts.ts';

/** The dependencies that the panels of the dashboard share. */
export type Context = {
  session: Session;
  marketData: MarketData;
  allowance: Allowance;
  currency: Currency;
  theme: Theme;
  /** Whether the dashboard is the current view. */
  isVisible: () => boolean;
  onError: OnError;
};
