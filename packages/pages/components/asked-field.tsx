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

const GRACE = [
  ['0', 'immediately'],
  ['300', 'in 5 minutes'],
  ['3600', 'in an hour'],
  ['86400', 'in a day'],
  ['604800', 'in a week'],
] as const;

/** The field `grace`: the seconds until a replaced key stops working. */
export const graceField = (label: string): Asked => ({
  name: 'grace',
  label,
  kind: 'choice',
  options: GRACE,
  value: '300',
});

/** The largest number of calls that the service accepts. */
const MAX_CALLS = 2_000_000_000;

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
      const texts = { missing: missing ?? 'Required.', wrong: wrong ?? `Enter 1 to ${most} characters in one line.` };
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
