import { MAX_CALLS, wrongText } from '../question.ts';
import { Choices } from './choices.tsx';
import type { Options } from './fault.tsx';
import { Field } from './form.tsx';

type Common = {
  name: string;
  label: string;
  /** The texts for an empty and for an invalid value. */
  missing?: string;
  wrong?: string;
  placeholder?: string;
  isOptional?: boolean;
  /** If it changes, the field starts again with its value. */
  reset?: string;
};

/** A field of a dialog. */
export type Asked = Common &
  (
    | { kind: 'text'; most: number; rows?: number; value?: string }
    | { kind: 'number'; least: number; most?: number; value?: number | undefined }
    | { kind: 'choice'; options: Options; value?: string }
    | { kind: 'radio' | 'checkbox'; options: Options; value: readonly string[] }
    | { kind: 'date'; from: string }
  );

export function AskedField({ field }: { field: Asked }) {
  const { name, label, missing, wrong, placeholder, isOptional } = field;
  const common = { name, label, placeholder, required: !isOptional };
  switch (field.kind) {
    case 'choice':
      return <Field name={name} label={label} options={field.options} selected={field.value} />;
    case 'radio':
    case 'checkbox':
      return (
        <Choices
          {...{ name, missing }}
          legend={label}
          kind={field.kind}
          options={field.options}
          selected={field.value}
        />
      );
    case 'date':
      return <Field {...common} type="date" min={field.from} wrong={wrong} />;
    case 'text': {
      const { most, rows, value } = field;
      const texts = { missing: missing ?? 'Required.', wrong: wrongText({ most, ...(wrong && { wrong }) }) };
      return <Field {...common} {...texts} rows={rows} maxLength={most} defaultValue={value} />;
    }
    default: {
      const { least, most = MAX_CALLS, value } = field;
      const texts = { missing, wrong: wrong ?? `Enter a whole number of at least ${least}.` };
      const number = { type: 'number', inputMode: 'numeric', min: least, max: most, step: 1 } as const;
      return <Field {...common} {...texts} {...number} defaultValue={value} />;
    }
  }
}
