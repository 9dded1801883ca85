import { useLayoutEffect } from 'preact/hooks';
import { type Fields, fieldsOf } from './form.tsx';

type Ref = { current: HTMLFormElement | null };

/**
 * Sets the faults that depend on other fields or on data. `faultsOf` returns a text per field, which is empty for a valid
 * value. Returns the function that updates the faults after an input.
 */
export function useValidity(form: Ref, faultsOf: (fields: Fields) => Readonly<Record<string, string>>): () => void {
  function update(): void {
    if (!form.current) return;
    for (const [name, fault] of Object.entries(faultsOf(fieldsOf(form.current)))) {
      const field = form.current.elements.namedItem(name);
      if (field instanceof HTMLInputElement) field.setCustomValidity(fault);
    }
  }
  useLayoutEffect(update);
  return update;
}
