import { type Signal, useSignal } from '@preact/signals';
import { type ComponentChildren, type ComponentProps, createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';
import type { QuotientError } from '../../client/index.ts';
import { type Field as Element, faultOf } from '../faults.ts';
import { toError } from '../problem.ts';
import { Problem } from './states.tsx';

type Faults = Readonly<Record<string, string>>;
const FormFaults = createContext<Signal<Faults> | undefined>(undefined);

export type Fields = (name: string) => string;
export const fieldsOf = (form: HTMLFormElement): Fields => {
  const data = new FormData(form);
  return (name) => String(data.get(name) ?? '').trim();
};

type Input = {
  type?: 'text' | 'search' | 'password' | 'number' | 'date' | 'datetime-local';
  inputMode?: 'numeric';
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  min?: number;
  max?: number | string;
  step?: number;
  pattern?: string;
  placeholder?: string | undefined;
  defaultValue?: string | number | undefined;
  /** The ID of a hint. */
  hint?: string;
};

type FieldProps = Input & {
  class?: string;
  name: string;
  label: string;
  /** The texts for an empty and for an invalid value. */
  missing?: string | undefined;
  wrong?: string | undefined;
  /** The options of a choice. */
  options?: readonly (readonly [value: string, label: string])[] | undefined;
  selected?: string | undefined;
};

/** A labelled input or choice, with its error below. */
export function Field({
  name,
  label,
  missing,
  wrong,
  options,
  selected,
  class: kind = '',
  hint,
  ...input
}: FieldProps) {
  const faults = useContext(FormFaults);
  const id = useId();
  const fault = faults?.value[name];
  const isInvalid = Boolean(fault);
  return (
    <div class={`field-box ${kind}`}>
      <label class="field" for={id}>
        {label}{' '}
        {options ? (
          <select id={id} name={name}>
            {options.map(([value, text]) => (
              <option key={value} value={value} selected={value === selected}>
                {text}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...(input as ComponentProps<'input'>)}
            id={id}
            name={name}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            aria-invalid={isInvalid || undefined}
            aria-describedby={`${id}-fault ${hint ?? ''}`}
            data-missing={missing}
            data-wrong={wrong}
          />
        )}
      </label>
      <p id={`${id}-fault`} class="fault">
        {fault}
      </p>
    </div>
  );
}

type FormProps = {
  /** Runs if all fields are valid. The form shows its error: under the fields that the service names, or as a note. */
  onSubmit: (fields: Fields) => unknown;
  onInput?: (fields: Fields) => void;
  /** Submits the form when the user makes a choice. */
  submitsChoices?: boolean;
  /** The button that submits, and its label while the form is being submitted. */
  button: readonly [label: string, busy: string, kind?: string];
  /** The buttons before that button. */
  before?: ComponentChildren;
  problem?: (error: QuotientError) => ComponentChildren;
  class?: string;
  children: ComponentChildren;
  formRef?: { current: HTMLFormElement | null };
};

const elementsOf = (form: HTMLFormElement) => [...form.elements].filter((one): one is Element => 'validity' in one);

export function Form({
  onSubmit,
  onInput,
  submitsChoices,
  button,
  before,
  problem,
  children,
  formRef,
  ...props
}: FormProps) {
  const faults = useSignal<Faults>({});
  const error = useSignal<QuotientError | undefined>(undefined);
  const isBusy = useSignal(false);
  const [label, busyLabel, kind = 'primary'] = button;

  function show(form: HTMLFormElement, faultIn: (field: Element) => string): boolean {
    const invalid = elementsOf(form).filter((field) => faultIn(field) !== '');
    faults.value = Object.fromEntries(invalid.map((field) => [field.name, faultIn(field)]));
    invalid[0]?.focus();
    return invalid.length === 0;
  }

  /** Returns whether each of the service's errors is about a field. */
  function showServiceErrors(form: HTMLFormElement, { errors }: QuotientError): boolean {
    const named = errors.map(({ location }) => location.split('.')[1]);
    const fields = elementsOf(form).filter(({ dataset }) => dataset.wrong !== undefined);
    if (errors.length === 0 || !named.every((name) => fields.some((field) => field.name === name))) return false;
    show(form, ({ name, dataset }) => (named.includes(name) ? (dataset.wrong ?? '') : ''));
    return true;
  }

  async function submit(form: HTMLFormElement): Promise<void> {
    if (isBusy.value) return;
    error.value = undefined;
    if (!show(form, faultOf)) return;
    isBusy.value = true;
    try {
      await onSubmit(fieldsOf(form));
    } catch (thrown) {
      const failure = toError(thrown);
      if (!showServiceErrors(form, failure)) error.value = failure;
    } finally {
      isBusy.value = false;
    }
  }

  return (
    <FormFaults.Provider value={faults}>
      <form
        {...props}
        ref={formRef}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
        onInput={(event) => {
          const { name } = event.target as Element;
          if (faults.value[name]) faults.value = { ...faults.value, [name]: '' };
          onInput?.(fieldsOf(event.currentTarget));
        }}
        onChange={(event) => {
          if (submitsChoices && event.target instanceof HTMLSelectElement) void submit(event.currentTarget);
        }}
        onReset={() => {
          faults.value = {};
        }}
      >
        {children}
        <div class="problem" role="alert">
          {error.value && (problem?.(error.value) ?? <Problem error={error.value} />)}
        </div>
        <div class="row end">
          {before}
          <button type="submit" class={kind} aria-disabled={isBusy.value || undefined}>
            {isBusy.value ? busyLabel : label}
          </button>
        </div>
      </form>
    </FormFaults.Provider>
  );
}
