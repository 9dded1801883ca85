import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentProps } from 'preact';
import type { QuotientError } from '../../client/index.ts';
import { toError } from '../problem.ts';
import { type Control, type Faults, type Faulty, FormFaults, faultOf, type Options, useFault } from './fault.tsx';
import { Problem } from './states.tsx';

/** The value of a field. `all` returns those of the checked boxes of a group. */
export type Fields = ((name: string) => string) & { all: (name: string) => readonly string[] };
export function fieldsOf(form: HTMLFormElement): Fields {
  const data = new FormData(form);
  const value = (name: string) => String(data.get(name) ?? '').trim();
  return Object.assign(value, { all: (name: string) => data.getAll(name).map(String) });
}

type Input = {
  type?: 'text' | 'search' | 'password' | 'number' | 'date' | 'datetime-local' | 'email' | 'url';
  inputMode?: 'numeric';
  autocomplete?: 'name' | 'email' | 'off';
  autocapitalize?: 'words';
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  min?: number | string;
  max?: number | string;
  step?: number;
  pattern?: string;
  placeholder?: string | undefined;
  /** The ID of suggestions. */
  list?: string;
  defaultValue?: string | number | undefined;
};

type FieldProps = Input &
  Faulty & {
    class?: string;
    name: string;
    label: string;
    /** The ID of a hint. */
    hint?: string;
    /** The options of a choice. */
    options?: Options | undefined;
    selected?: string | undefined;
    /** The height of a text of several lines. */
    rows?: number | undefined;
  };

/** A labelled input, text or choice, with its fault below. */
export function Field(props: FieldProps) {
  const { name, label, missing, wrong, options, selected, rows, class: kind = '', hint, ...input } = props;
  const { id, attributes, line } = useFault(name, { missing, wrong }, hint);
  const text = { autocomplete: 'off', autocapitalize: 'none', spellcheck: false, ...input, ...attributes, id } as const;
  return (
    <div class={`field-box ${kind}`}>
      <label class="field" for={id}>
        {label}{' '}
        {options ? (
          <select {...attributes} id={id}>
            {options.map(([value, shown]) => (
              <option key={value} value={value} selected={value === selected}>
                {shown}
              </option>
            ))}
          </select>
        ) : rows ? (
          <textarea {...(text as ComponentProps<'textarea'>)} rows={rows} />
        ) : (
          <input {...(text as ComponentProps<'input'>)} />
        )}
      </label>
      {line}
    </div>
  );
}

type FormProps = {
  /**
   * Runs if all fields are valid. The form shows the text that it returns, if any. The form shows its error under the
   * fields that the service names, or as a note.
   */
  onSubmit: (fields: Fields) => unknown;
  onInput?: (fields: Fields) => void;
  /** Submits the form when the user makes a choice. */
  submitsChoices?: boolean;
  /** Empties the form after it was submitted. */
  resets?: boolean;
  /** The button that submits, and its label while the form is being submitted. */
  button: readonly [label: string, busy: string, kind?: string];
  /** The buttons before that button. */
  before?: ComponentChildren;
  problem?: (error: QuotientError) => ComponentChildren;
  /** The last error, if it is also set elsewhere. */
  error?: Signal<QuotientError | undefined>;
  class?: string;
  children?: ComponentChildren;
  formRef?: { current: HTMLFormElement | null };
};

const elementsOf = (form: HTMLFormElement) => [...form.elements].filter((one): one is Control => 'validity' in one);

function show(faults: Signal<Faults>, form: HTMLFormElement, faultIn: (field: Control) => string): boolean {
  const invalid = elementsOf(form).filter((field) => faultIn(field) !== '');
  faults.value = Object.fromEntries(invalid.map((field) => [field.name, faultIn(field)]));
  invalid[0]?.focus();
  return invalid.length === 0;
}

/** Returns whether each of the service's errors is about a field. */
function showServiceErrors(faults: Signal<Faults>, form: HTMLFormElement, { errors }: QuotientError): boolean {
  const named = errors.map(({ location }) => location.split('.')[1]);
  const fields = elementsOf(form).filter(({ dataset }) => dataset.wrong !== undefined);
  if (errors.length === 0 || !named.every((name) => fields.some((field) => field.name === name))) return false;
  show(faults, form, ({ name, dataset }) => (named.includes(name) ? (dataset.wrong ?? '') : ''));
  return true;
}

export function Form({
  onSubmit,
  onInput,
  submitsChoices,
  resets,
  button,
  before,
  problem,
  error: givenError,
  children,
  formRef,
  ...props
}: FormProps) {
  const faults = useSignal<Faults>({});
  const ownError = useSignal<QuotientError | undefined>(undefined);
  const error = givenError ?? ownError;
  const sent = useSignal('');
  const isBusy = useSignal(false);
  const [label, busyLabel, kind = 'primary'] = button;

  async function submit(form: HTMLFormElement): Promise<void> {
    if (isBusy.value) return;
    error.value = undefined;
    sent.value = '';
    if (!show(faults, form, faultOf)) return;
    isBusy.value = true;
    try {
      const text = await onSubmit(fieldsOf(form));
      if (resets) form.reset();
      sent.value = typeof text === 'string' ? text : '';
    } catch (thrown) {
      const failure = toError(thrown);
      if (!showServiceErrors(faults, form, failure)) error.value = failure;
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
          const { name } = event.target as Control;
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
        <p class="sent" role="status">
          {sent}
        </p>
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
