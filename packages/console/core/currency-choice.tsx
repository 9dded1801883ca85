import type { Currency } from './currency.ts';

const COINS: Readonly<Record<string, string>> = { btc: 'Bitcoin', eth: 'Ether' };
const names = new Intl.DisplayNames('en', { type: 'currency' });

/** Each option starts with the code, so that typing the code finds the option. */
function titleOf(code: string): string {
  const written = code.toUpperCase();
  return `${written} · ${COINS[code] ?? names.of(written)}`;
}

type ChoiceProps = { currency: Currency; onChoose: (code: string) => void };

/** The selected currency is a code only, which fits on a small screen. */
export const CurrencyChoice = ({ currency, onChoose }: ChoiceProps) => (
  <label class="currency">
    <span class="unseen">Currency</span>
    <select value={currency.code} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {currency.codes.map((code) => (
        <option key={code} value={code}>
          {code === currency.code ? code.toUpperCase() : titleOf(code)}
        </option>
      ))}
    </select>
  </label>
);
