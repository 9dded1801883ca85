import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { type Options, useFault } from './fault.tsx';

type CheckProps = {
  name: string;
  label: ComponentChildren;
  /** A text below the box. */
  hint?: ComponentChildren;
  checked?: boolean;
  onValue?: (isChecked: boolean) => void;
};

export function Check({ name, label, hint, checked, onValue }: CheckProps) {
  const id = useId();
  return (
    <div class="check-box">
      <label class="check">
        <input
          type="checkbox"
          name={name}
          defaultChecked={checked}
          aria-describedby={hint ? id : undefined}
          onChange={({ currentTarget }) => onValue?.(currentTarget.checked)}
        />{' '}
        <span>{label}</span>
      </label>
      {hint && (
        <p id={id} class="soft">
          {hint}
        </p>
      )}
    </div>
  );
}

type ChoicesProps = {
  name: string;
  legend: string;
  /** Exactly one option with `radio`, any number with `checkbox`. */
  kind: 'radio' | 'checkbox';
  options: Options;
  selected: readonly string[];
  /** The fault if no box is checked. */
  missing?: string | undefined;
};

/** A group of radio buttons or checkboxes, with its fault below. */
export function Choices({ name, legend, kind, options, selected, missing }: ChoicesProps) {
  const group = useRef<HTMLFieldSetElement>(null);
  const { attributes, line } = useFault(name, { wrong: missing });
  function validate(): void {
    const boxes = [...(group.current?.querySelectorAll('input') ?? [])];
    boxes[0]?.setCustomValidity(missing && !boxes.some(({ checked }) => checked) ? missing : '');
  }
  useLayoutEffect(validate);
  return (
    <fieldset class="choices" ref={group} onInput={validate}>
      <legend>{legend}</legend>
      {options.map(([value, label]) => (
        <label key={value} class="choice">
          <input {...attributes} type={kind} value={value} defaultChecked={selected.includes(value)} />{' '}
          <span>{label}</span>
        </label>
      ))}
      {line}
    </fieldset>
  );
}
