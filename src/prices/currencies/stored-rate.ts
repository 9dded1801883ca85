import { type Currency, DOLLAR, EURO, type UsdRate } from '#prices/model/currency';
import { datedRates } from './conversion.ts';
import type { RateStore } from './rate-store.ts';
import { createRateSeries } from './rate-validity.ts';

/** The dollars per unit of a currency, from the stored rates. */
export async function storedUsdRate(store: RateStore, currency: Currency, now: number): Promise<UsdRate> {
  const dollars = await store.rates(DOLLAR, now);
  const newest = dollars.at(-1)?.[0] ?? Number.NaN;
  const units = currency === EURO ? undefined : createRateSeries(await store.rates(currency, now), newest);
  const rateAt = datedRates(createRateSeries(dollars, newest), units);
  return (at) => rateAt(at).usdRate;
}
