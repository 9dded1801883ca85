import { DAY, isoDate } from '../../pages/dates.ts';
import { fieldOf } from '../../pages/form.ts';

/** The daily limit in a form; undefined for an empty field. */
const limitIn = (fields: FormData): number | undefined => Number(fieldOf(fields, 'dailyLimit')) || undefined;

export const chosenScopes = (fields: FormData) => fields.getAll('scopes').map(String) as ('prices' | 'node')[];

/** Parses origins in separate lines, or separated by commas or spaces. The service rejects invalid origins. */
export const originsIn = (text: string): string[] => text.split(/[\s,]+/).filter((origin) => origin !== '');

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
  allowedOrigins: originsIn(fieldOf(fields, 'allowedOrigins')),
});

export type KeyTerms = ReturnType<typeof termsIn>;

/** The fields that the forms for new and for changed keys share. */
export function openKeyFields(form: HTMLFormElement) {
  const field = <T extends Element = HTMLInputElement>(name: string) => form.elements.namedItem(name) as unknown as T;
  const permissions = field<HTMLFieldSetElement>('permissions');
  const expiry = field<HTMLSelectElement>('expiry');
  const lastDay = field('expiresAt');
  const origins = field<HTMLTextAreaElement>('allowedOrigins');
  const scopes = [...permissions.querySelectorAll<HTMLInputElement>('[name=scopes]')];

  function update(): void {
    const isMissing = !permissions.hidden && !scopes.some(({ checked }) => checked);
    scopes[0]?.setCustomValidity(isMissing ? 'Choose at least one.' : '');
    const hasDate = expiry.value === 'date';
    lastDay.required = hasDate;
    lastDay.min = hasDate ? isoDate(Date.now()) : '';
    if (!hasDate) lastDay.value = '';
    setShown(lastDay, hasDate);
  }
  form.addEventListener('change', update);
  form.addEventListener('reset', () => queueMicrotask(update));

  function setShown(element: Element, isShown: boolean): void {
    const label = element.closest<HTMLElement>('label');
    if (label) label.hidden = !isShown;
  }

  return {
    update,
    /** Shows the terms of a key. `expires` describes its expiry; undefined for a new key. */
    show({ label, scopes: chosen, dailyLimit, allowedOrigins }: ShownTerms, expires: string | undefined): void {
      field('label').value = label ?? '';
      field('dailyLimit').value = dailyLimit === null ? '' : String(dailyLimit);
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
};

export const NEW_KEY: ShownTerms = { label: null, scopes: ['prices'], dailyLimit: null, allowedOrigins: null };
