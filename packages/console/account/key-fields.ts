import { serviceNow } from '../../pages/clock.ts';
import { DAY, isoDate } from '../../pages/dates.ts';
import { fieldOf } from '../../pages/form.ts';

/** The daily limit in a form; undefined for an empty field. */
const limitIn = (fields: FormData): number | undefined => Number(fieldOf(fields, 'dailyLimit')) || undefined;

/** What a new key is for, and its first terms. A key for a program that cannot send headers is accepted in URLs. */
const PURPOSES = {
  headers: { url: false, scopes: ['prices'], dailyLimit: null },
  spreadsheet: { url: true, scopes: ['prices'], dailyLimit: 500 },
  coingecko: { url: true, scopes: ['prices'], dailyLimit: 2000 },
  wallet: { url: true, scopes: ['node'], dailyLimit: 10_000 },
} as const satisfies Record<string, Pick<ShownTerms, 'scopes' | 'dailyLimit' | 'url'>>;
type NewPurpose = keyof typeof PURPOSES;

/** The purpose in a form; that of keys with headers if the form has none. */
const purposeIn = (fields: FormData): NewPurpose => (fieldOf(fields, 'purpose') || 'headers') as NewPurpose;
export const isForUrls = (fields: FormData): boolean => PURPOSES[purposeIn(fields)].url;

export const chosenScopes = (fields: FormData) => fields.getAll('scopes').map(String) as ('prices' | 'node')[];

/** Parses origins in separate lines, or separated by commas or spaces. The service rejects invalid origins. */
export const originsIn = (text: string): string[] => text.split(/[\s,]+/).filter((origin) => origin !== '');

export const chosenOrigins = (fields: FormData): string[] => originsIn(fieldOf(fields, 'allowedOrigins'));

/** When the key expires: null for no expiry of its own, and undefined for the current expiry. */
function expiryIn(fields: FormData, now: number): Date | null | undefined {
  const choice = fieldOf(fields, 'expiry');
  if (choice === 'keep') return undefined;
  if (choice === 'never') return null;
  // The key is valid until the end of the chosen day.
  if (choice === 'date') return new Date(Date.parse(fieldOf(fields, 'expiresAt')) + DAY);
  return new Date(now + Number(choice) * DAY);
}

/** Reads the fields of a new or changed key. */
export const termsIn = (fields: FormData, now: number) => ({
  label: fieldOf(fields, 'label'),
  scopes: chosenScopes(fields),
  expiresAt: expiryIn(fields, now),
  dailyLimit: limitIn(fields),
  allowedOrigins: chosenOrigins(fields),
  url: isForUrls(fields),
});

export type KeyTerms = ReturnType<typeof termsIn>;

/** The fields that the forms for new and for changed keys share. */
export function openKeyFields(form: HTMLFormElement) {
  const field = <T extends Element = HTMLInputElement>(name: string) => form.elements.namedItem(name) as unknown as T;
  const permissions = field<HTMLFieldSetElement>('permissions');
  const expiry = field<HTMLSelectElement>('expiry');
  const lastDay = field('expiresAt');
  const origins = field<HTMLTextAreaElement>('allowedOrigins');
  const purpose = field<HTMLSelectElement>('purpose');
  const limit = field('dailyLimit');
  const scopes = [...permissions.querySelectorAll<HTMLInputElement>('[name=scopes]')];

  function update(): void {
    const isMissing = !permissions.hidden && !scopes.some(({ checked }) => checked);
    scopes[0]?.setCustomValidity(isMissing ? 'Choose at least one.' : '');
    const hasDate = expiry.value === 'date';
    lastDay.required = hasDate;
    lastDay.min = hasDate ? isoDate(serviceNow()) : '';
    if (!hasDate) lastDay.value = '';
    setShown(lastDay, hasDate);
  }
  /** The service requires a limit for a URL key. */
  function requireLimit(isRequired: boolean): void {
    limit.required = isRequired;
    limit.placeholder = isRequired ? '' : 'no limit of its own';
  }

  function showPurpose(): void {
    const { url, scopes: chosen, dailyLimit } = PURPOSES[purpose.value as NewPurpose];
    limit.value = dailyLimit === null ? '' : String(dailyLimit);
    for (const box of scopes) box.checked = chosen.some((scope) => scope === box.value);
    requireLimit(url);
    update();
    form.dispatchEvent(new Event('input'));
  }
  purpose.addEventListener('change', showPurpose);
  form.addEventListener('change', update);
  form.addEventListener('reset', () => queueMicrotask(update));

  function setShown(element: Element, isShown: boolean): void {
    const label = element.closest<HTMLElement>('label');
    if (label) label.hidden = !isShown;
  }

  return {
    update,
    /** Shows the terms of a key. `expires` describes its expiry; undefined for a new key. */
    show({ label, scopes: chosen, dailyLimit, allowedOrigins, url }: ShownTerms, expires: string | undefined): void {
      // The purpose of a key cannot be changed.
      setShown(purpose, expires === undefined);
      requireLimit(url);
      field('label').value = label ?? '';
      limit.value = dailyLimit === null ? '' : String(dailyLimit);
      origins.value = (allowedOrigins ?? []).join('\n');
      for (const box of scopes) box.checked = chosen.some((scope) => scope === box.value);
      const [keep] = expiry.options;
      if (keep) {
        keep.textContent = expires ?? '';
        keep.hidden = keep.disabled = expires === undefined;
      }
      expiry.value = expires === undefined ? 'never' : 'keep';
      update();
    },
    /** An owner key always has all scopes, expires only with its user, and can be used from everywhere. */
    restrict(isOwner: boolean): void {
      permissions.hidden = isOwner;
      for (const element of [expiry, origins]) setShown(element, !isOwner);
      update();
    },
  };
}

type ShownTerms = {
  label: string | null;
  scopes: readonly string[];
  dailyLimit: number | null;
  allowedOrigins: readonly string[] | null;
  url: boolean;
};

export const NEW_KEY: ShownTerms = {
  label: null,
  scopes: ['prices'],
  dailyLimit: null,
  allowedOrigins: null,
  url: false,
};
