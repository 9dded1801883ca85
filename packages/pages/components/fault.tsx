import type { Signal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';

/** The faults of the fields of a form, by name. */
export type Faults = Readonly<Record<string, string>>;
export const FormFaults = createContext<Signal<Faults> | undefined>(undefined);

/** The texts for an empty and for an invalid value. */
export type Faulty = { missing?: string | undefined; wrong?: string | undefined };
export type Options = readonly (readonly [value: string, label: ComponentChildren])[];

/** The attributes of a field, and its fault, which stays below the field. */
export function useFault(name: string, { missing, wrong }: Faulty, hint = '') {
  const faults = useContext(FormFaults);
  const id = useId();
  const fault = faults?.value[name];
  return {
    id,
    attributes: {
      name,
      'aria-invalid': Boolean(fault) || undefined,
      'aria-describedby': `${id}-fault ${hint}`,
      'data-missing': missing,
      'data-wrong': wrong,
    },
    line: (
      <p id={`${id}-fault`} class="fault">
        {fault}
      </p>
    ),
  };
}

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function faultOf({ validity, validationMessage, dataset }: Control): string {
  if (validity.valid) return '';
  const words = validity.valueMissing ? (dataset.missing ?? dataset.wrong) : dataset.wrong;
  return validity.customError ? validationMessage : (words ?? validationMessage);
}
