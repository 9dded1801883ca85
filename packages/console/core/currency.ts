import { byId } from './dom.ts';
import { openStored } from './storage.ts';

export const DEFAULT_CURRENCY = 'usd';

/** Lets the user choose the currency of all prices. The choice is kept on this device. */
export function openCurrency() {
  const select = byId('currency', HTMLSelectElement);
  const stored = openStored('localStorage', 'quotient:currency');
  const listeners: (() => void)[] = [];
  const isOffered = (code: string) => [...select.options].some(({ value }) => value === code);

  function preferred(): string {
    const code = stored.read() ?? DEFAULT_CURRENCY;
    return isOffered(code) ? code : DEFAULT_CURRENCY;
  }
  select.value = preferred();
  select.addEventListener('change', () => {
    stored.write(select.value);
    for (const listener of listeners) listener();
  });

  return {
    /** In lower case, as the API has it. */
    get code(): string {
      return select.value;
    },
    preferred,
    isOffered,
    /** Shows prices in a currency that an address asks for; what the user chose last is kept. */
    show(code: string): void {
      select.value = code;
    },
    onChange: (listener: () => void) => void listeners.push(listener),
  };
}

export type Currency = ReturnType<typeof openCurrency>;
