import { byId, make, makeButton } from '../../pages/dom.ts';
import { fieldOf, onSubmit } from '../../pages/form.ts';
import { errorNote } from '../api/problem.ts';
import type { Phrase } from './phrase.ts';

type Common = { name: string; label: string };
type Field = Common &
  (
    | { kind: 'text'; most: number; placeholder?: string }
    | { kind: 'number'; least: number; value?: number; isOptional?: boolean }
    | { kind: 'choice'; options: readonly (readonly [value: string, label: string])[]; value?: string }
  );

/** The value of a field of the question. */
export type Values = (name: string) => string;

export type Question = {
  title: string;
  /** States in one sentence what the change does, and to which record number. Updated when a field changes. */
  effect: (values: Values) => Phrase;
  yes: string;
  busy: string;
  isDangerous?: boolean;
  fields?: readonly Field[];
  /** The dialog shows an error, closes on success, or shows the returned content. */
  act: (values: Values) => Promise<Node | undefined>;
};

/** The largest number of calls that the service accepts. */
const MOST_CALLS = 2_000_000_000;

function inputOf(field: Field): HTMLElement {
  const { name } = field;
  if (field.kind === 'choice') {
    const options = field.options.map(([value, label]) => make('option', { value }, label));
    const select = make('select', { name }, ...options);
    if (field.value !== undefined) select.value = field.value;
    return select;
  }
  if (field.kind === 'text') {
    const { most, placeholder = '' } = field;
    const words = { 'data-missing': 'Required.', 'data-wrong': `Enter 1 to ${most} characters in one line.` };
    return make('input', { name, required: '', maxlength: String(most), autocomplete: 'off', placeholder, ...words });
  }
  const { least, value, isOptional } = field;
  return make('input', {
    ...{ name, type: 'number', inputmode: 'numeric', min: String(least), max: String(MOST_CALLS), step: '1' },
    ...(value !== undefined && { value: String(value) }),
    ...(!isOptional && { required: '' }),
    'data-wrong': `Enter a whole number of at least ${least}.`,
  });
}

/** Opens a dialog that asks for a confirmation and for the values that the change needs. */
export function openQuestions() {
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

  return function ask({ title, effect, yes, busy, isDangerous, fields = [], act }: Question): void {
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
        if (!content) {
          dialog.close();
          return undefined;
        }
        isClosable = false;
        dialog.replaceChildren(content);
        dialog.querySelector<HTMLElement>('h2')?.focus();
        return undefined;
      },
      { keeps: true, note: errorNote },
    );
    dialog.setAttribute('aria-describedby', 'question-effect');
    dialog.replaceChildren(form);
    dialog.showModal();
    (form.querySelector<HTMLElement>('input, select') ?? no).focus();
  };
}

export type Ask = ReturnType<typeof openQuestions>;
