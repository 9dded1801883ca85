import { byId } from './dom.ts';

/** Where the choice is kept on this device. */
const STORAGE_KEY = 'quotient:currency';
const DEFAULT = 'usd';

/** Lets the user choose the currency of all prices. */
export function openCurrency() {
  const select = byId('currency', HTMLSelectElement);
  const listeners: (() => void)[] = [];
  const isOffered = (code: string | null) => [...select.options].some(({ value }) => value === code);

  const remembered = localStorage.getItem(STORAGE_KEY);
  select.value = remembered !== null && isOffered(remembered) ? remembered : DEFAULT;
  select.addEventListener('change', () => {
    localStorage.setItem(STORAGE_KEY, select.value);
    for (const listener of listeners) listener();
  });

  return {
    /** In lower case, as the API has it. */
    get code(): string {
      return select.value;
    },
    onChange: (listener: () => void) => void listeners.push(listener),
  };
}

export type Currency = ReturnType<typeof openCurrency>;
