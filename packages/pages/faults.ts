import type { QuotientError } from '../client/index.ts';
import { make } from './dom.ts';

export type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function faultOf({ validity, validationMessage, dataset }: Field): string {
  if (validity.valid) return '';
  const words = validity.valueMissing ? (dataset.missing ?? dataset.wrong) : dataset.wrong;
  return validity.customError ? validationMessage : (words ?? validationMessage);
}

/** Shows the texts in `data-wrong` and `data-missing` under invalid fields, instead of the browser's bubbles. */
export function openFaults(form: HTMLFormElement) {
  form.noValidate = true;
  const lines = new Map<Field, HTMLElement>();

  function show(field: Field, fault: string): void {
    lines.get(field)?.replaceChildren(fault);
    if (fault === '') field.removeAttribute('aria-invalid');
    else field.setAttribute('aria-invalid', 'true');
  }
  for (const field of form.querySelectorAll<Field>('[data-wrong]')) {
    const line = make('p', { id: `${form.id}-${field.name}-fault`, class: 'fault' });
    lines.set(field, line);
    (field.closest('fieldset') ?? field.closest('label') ?? field).after(line);
    field.setAttribute('aria-describedby', line.id);
    field.addEventListener('input', () => show(field, ''));
  }

  function showAll(faultIn: (field: Field) => string): void {
    for (const field of lines.keys()) show(field, faultIn(field));
    form.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }
  const clear = () => {
    for (const field of lines.keys()) show(field, '');
  };
  form.addEventListener('reset', clear);

  return {
    clear,

    check(): boolean {
      showAll(faultOf);
      return form.checkValidity();
    },

    /** Shows the service's errors under their fields. Returns false if there are no errors or an error has no field. */
    showServiceErrors({ errors }: QuotientError): boolean {
      const named = errors.map(({ location }) => location.split('.')[1]);
      showAll(({ name, dataset }) => (named.includes(name) ? (dataset.wrong ?? '') : ''));
      const names = new Set([...lines.keys()].map(({ name }) => name));
      return errors.length > 0 && named.every((name) => name !== undefined && names.has(name));
    },
  };
}
