import type { Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { wrongUsage } from '#cli/arguments';
import { note } from '#cli/output';
import { systemClock } from '#core/clock';
import type { Database } from '#database/database';
import { storedUsdRate } from '#prices/currencies/conversion';
import { createRateStore } from '#prices/currencies/rate-store';
import { ImportFileError } from '#prices/imports/csv-file';
import {
  assertNamedUnits,
  assertRates,
  assertSameUnits,
  type createDailyPrices,
  enoughDates,
  inDollars,
} from '#prices/imports/units';
import { type Currency, DOLLAR, EURO, hasReferenceRate } from '#prices/model/currency';
import { createPointStore } from '#prices/series/point-store';
import { EXIT, ExitError } from '#process/exit';

export const UNIT_OPTIONS = {
  'currency <currency>': `the currency of the figures. They are stored in US dollars, at the rate of their date. Without this
option, a file whose name or columns name another currency is rejected.`,
  force: `imports a file that begins with the name of another token, or whose prices differ from the stored prices by a
constant factor`,
};

/** Throws `UsageError` for a currency without reference rates. */
export function currencyOption(text: string | undefined): Currency | undefined {
  const currency = text?.toLowerCase();
  if (currency === undefined || currency === EURO || hasReferenceRate(currency)) return currency;
  throw wrongUsage('--currency must be a currency with reference rates of the European Central Bank, such as eur');
}

/** A wrong file is rejected: a retry of the command fails until the file changes. */
export const refused = (error: unknown) =>
  error instanceof ImportFileError ? new ExitError(error.message, EXIT.refused, error) : error;

type Given = {
  token: Token;
  file: { path: string; currency: Currency | undefined };
  currency: Currency | undefined;
  isForced: boolean;
};

/** Checks the token and the currency of a file. The result checks its prices. Throws `ImportFileError`. */
export async function openUnits(prisma: Database['prisma'], { token, file, currency, isForced }: Given) {
  const tokens = await createTokenStore(prisma).all();
  const { isNamed } = assertNamedUnits(file, { token, tokens, currency, isForced });
  const isForeign = currency !== undefined && currency !== DOLLAR;
  const usdRate = isForeign ? await storedUsdRate(createRateStore(prisma), currency, systemClock.now()) : undefined;

  return {
    usdRate,
    async assertPrices({ prices, span }: ReturnType<typeof createDailyPrices>): Promise<void> {
      const pricesByDate = prices();
      const dates = span();
      if (!dates) return;
      if (usdRate) assertRates(file.path, currency ?? DOLLAR, pricesByDate.keys(), usdRate);
      if (isForced) return;
      const stored = await createPointStore(prisma).dailyPrices(token.name, dates);
      const common = assertSameUnits(file.path, token, inDollars(pricesByDate, usdRate), stored);
      if (isNamed || enoughDates(common)) return;
      note(
        `${token.name}: neither the name of the file nor stored prices confirm the token and the currency; ` +
          `the figures are imported as ${(currency ?? DOLLAR).toUpperCase()}`,
      );
    },
  };
}
