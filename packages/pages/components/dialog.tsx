import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { QuotientError } from '../../client/index.ts';
import { type Field as Asked, MAX_CALLS, wrongText } from '../question.ts';
import { Field, type Fields, Form, fieldsOf } from './form.tsx';

export type Question = {
  texts: readonly [title: string, yes: string, busy: string];
  /** One sentence that states the effect of the change. It is updated when a field changes. */
  effect: (values: Fields) => ComponentChildren;
  isDangerous?: boolean;
  fields?: readonly Asked[];
  /** Makes the change. Afterwards, the dialog shows the error or the content passed to `show`, or closes. */
  act: (values: Fields, show: (content: Content) => void) => Promise<unknown>;
};

/** What a dialog shows after a change, until the user confirms it. Escape does not close it. */
export type Content = { title: string; body: ComponentChildren; done: string };

export function openQuestions() {
  const question = signal<Question | undefined>(undefined);
  return {
    question,
    ask(next: Question): void {
      question.value = next;
    },
    close(): void {
      question.value = undefined;
    },
  };
}

type Questions = ReturnType<typeof openQuestions>;

function AskedField({ field }: { field: Asked }) {
  const { name, label } = field;
  if (field.kind === 'choice')
    return <Field name={name} label={label} options={field.options} selected={field.value} />;
  if (field.kind === 'text') {
    const { most, placeholder, value, isOptional } = field;
    return (
      <Field
        {...{ name, label, placeholder }}
        missing="Required."
        wrong={wrongText(field)}
        required={!isOptional}
        maxLength={most}
        defaultValue={value}
      />
    );
  }
  const wrong = `Enter a whole number of at least ${field.least}.`;
  const number = { type: 'number', inputMode: 'numeric', min: field.least, max: MAX_CALLS, step: 1 } as const;
  return <Field {...{ name, label, wrong }} {...number} defaultValue={field.value} required={!field.isOptional} />;
}

/** Asks for a confirmation and for the values that the change needs. */
export function QuestionDialog({
  questions,
  problem,
}: {
  questions: Questions;
  problem?: (error: QuotientError) => ComponentChildren;
}) {
  const { question, close } = questions;
  return question.value && <AskedDialog question={question.value} close={close} problem={problem} />;
}

type AskedProps = {
  question: Question;
  close: () => void;
  problem: ((error: QuotientError) => ComponentChildren) | undefined;
};

function AskedDialog({ question, close, problem }: AskedProps) {
  const { texts, effect, isDangerous, fields = [], act } = question;
  const [title, yes, busy] = texts;
  const dialog = useRef<HTMLDialogElement>(null);
  const content = useSignal<Content | undefined>(undefined);
  const values = useSignal<Fields | undefined>(undefined);
  const id = useId();

  useLayoutEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    const form = element?.querySelector('form');
    if (!element || !form) return;
    values.value = fieldsOf(form);
    element.showModal();
    (form.querySelector<HTMLElement>('input, select') ?? form.querySelector('button'))?.focus();
    return () => {
      element.close();
      // If the change has replaced the opener, the title of the view gets the focus.
      const next = opener?.isConnected ? opener : document.querySelector('main h1');
      if (next instanceof HTMLElement) next.focus();
    };
  }, []);
  useLayoutEffect(() => {
    if (content.value) dialog.current?.querySelector('h2')?.focus();
  }, [content.value]);

  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-effect`}
      // A new key cannot be shown again, so Escape must not close the dialog.
      onCancel={(event) => {
        if (content.value) event.preventDefault();
      }}
      onClose={close}
    >
      <h2 id={`${id}-title`} tabIndex={-1}>
        {content.value?.title ?? title}
      </h2>
      {content.value ? (
        <div id={`${id}-effect`} class="shown-once">
          {content.value.body}
          <div class="row end">
            <button type="button" class="primary" onClick={close}>
              {content.value.done}
            </button>
          </div>
        </div>
      ) : (
        <Form
          class="shown-once"
          button={[yes, busy, `primary${isDangerous ? ' dangerous' : ''}`]}
          before={
            <button type="button" onClick={close}>
              Cancel
            </button>
          }
          problem={problem}
          onInput={(next) => {
            values.value = next;
          }}
          onSubmit={async (fields) => {
            await act(fields, (next) => {
              content.value = next;
            });
            if (!content.value) close();
          }}
        >
          {fields.map((field) => (
            <AskedField key={field.name} field={field} />
          ))}
          <p id={`${id}-effect`} aria-live="polite">
            {values.value && effect(values.value)}
          </p>
        </Form>
      )}
    </dialog>
  );
}
