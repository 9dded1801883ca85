import { byId, make, makeButton } from './dom.ts';
import { fieldOf, onSubmit } from './form.ts';
import { problemNote } from './problem.ts';

type Common = { name: string; label: string };
export type Field = Common &
  (
    | { kind: 'text'; most: number; placeholder?: string; value?: string; wrong?: string; isOptional?: boolean }
    | { kind: 'number'; least: number; value?: number; isOptional?: boolean }
    | { kind: 'choice'; options: readonly (readonly [value: string, label: string])[]; value?: string }
  );

/** The value of a field of the question. */
export type Values = (name: string) => string;

export type Question = {
  texts: readonly [title: string, yes: string, busy: string];
  /**
   * One sentence that states the effect of the change and the record number of the user. It is updated when a field
   * changes.
   */
  effect: (values: Values) => string;
  isDangerous?: boolean;
  fields?: readonly Field[];
  /** Makes the change. Afterwards, the dialog shows the error, shows the returned content, or closes. */
  act: (values: Values) => Promise<unknown>;
};

const GRACE = [
  ['0', 'immediately'],
  ['300', 'in 5 minutes'],
  ['3600', 'in an hour'],
  ['86400', 'in a day'],
  ['604800', 'in a week'],
] as const;

/** The field `grace`: the seconds until a replaced key stops working. */
export const graceField = (label: string): Field => ({
  name: 'grace',
  label,
  kind: 'choice',
  options: GRACE,
  value: '300',
});

/** The largest number of calls that the service accepts. */
export const MAX_CALLS = 2_000_000_000;

export const wrongText = ({ most, wrong }: { most: number; wrong?: string }) =>
  wrong ?? `Enter 1 to ${most} characters in one line.`;

function inputOf(field: Field): HTMLElement {
  const { name } = field;
  if (field.kind === 'choice') {
    const options = field.options.map(([value, label]) => make('option', { value }, label));
    const select = make('select', { name }, ...options);
    if (field.value !== undefined) select.value = field.value;
    return select;
  }
  if (field.kind === 'text') {
    const { most, placeholder = '', value = '', isOptional } = field;
    return make('input', {
      name,
      value,
      maxlength: String(most),
      autocomplete: 'off',
      placeholder,
      ...(!isOptional && { required: '' }),
      'data-missing': 'Required.',
      'data-wrong': wrongText(field),
    });
  }
  const { least, value, isOptional } = field;
  return make('input', {
    name,
    type: 'number',
    inputmode: 'numeric',
    min: String(least),
    max: String(MAX_CALLS),
    step: '1',
    ...(value !== undefined && { value: String(value) }),
    ...(!isOptional && { required: '' }),
    'data-wrong': `Enter a whole number of at least ${least}.`,
  });
}

/** Opens a dialog that asks for a confirmation and for the values that the change needs. */
export function openQuestions(note = problemNote) {
  const dialog = byId('question', HTMLDialogElement);
  let opener: Element | null = null;
  let isClosable = true;

  // A new key cannot be shown again, so Escape must not close the dialog.
  dialog.addEventListener('cancel', (event) => {
    if (!isClosable) event.preventDefault();
  });
  dialog.addEventListener('close', () => {
    dialog.replaceChildren();
    // If the change has replaced the opener, the title of the view gets the focus.
    if (!opener?.isConnected) document.querySelector<HTMLElement>('main > section:not([hidden]) h1')?.focus();
  });

  return function ask({ texts: [title, yes, busy], effect, isDangerous, fields = [], act }: Question): void {
    opener = document.activeElement;
    isClosable = true;
    const no = makeButton('Cancel', () => dialog.close());
    const text = make('p', { id: 'question-effect', 'aria-live': 'polite' });
    const kind = `primary${isDangerous ? ' dangerous' : ''}`;
    const form = make(
      'form',
      { id: 'question-form', class: 'shown-once' },
      make('h2', { id: 'question-title' }, title),
      ...fields.map((field) => make('label', { class: 'field' }, `${field.label} `, inputOf(field))),
      text,
      make('div', { class: 'problem', role: 'alert' }),
      make('div', { class: 'row end' }, no, make('button', { type: 'submit', class: kind }, yes)),
    );
    const values: Values = (name) => fieldOf(new FormData(form), name).trim();
    const showEffect = () => {
      const next = make('span', {}, effect(values));
      if (text.textContent !== next.textContent) text.replaceChildren(next);
    };
    form.addEventListener('input', showEffect);
    showEffect();
    onSubmit(
      form,
      busy,
      async () => {
        const content = await act(values);
        if (!(content instanceof Node)) return dialog.close();
        isClosable = false;
        dialog.replaceChildren(content);
        dialog.querySelector<HTMLElement>('h2')?.focus();
      },
      { keeps: true, note },
    );
    dialog.setAttribute('aria-describedby', 'question-effect');
    dialog.replaceChildren(form);
    dialog.showModal();
    (form.querySelector<HTMLElement>('input, select') ?? no).focus();
  };
}

export type Ask = ReturnType<typeof openQuestions>;
