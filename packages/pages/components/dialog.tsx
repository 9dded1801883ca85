import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { QuotientError } from '../../client/index.ts';
import { type Asked, AskedField } from './asked-field.tsx';
import { type Fields, Form, fieldsOf } from './form.tsx';

export type Question = {
  texts: readonly [title: string, yes: string, busy: string];
  /** One sentence that states the effect of the change. It is updated when a field changes. */
  effect: (values: Fields) => ComponentChildren;
  isDangerous?: boolean;
  /** Fields that depend on the values of others are the result of a function. */
  fields?: readonly Asked[] | ((values: Fields | undefined) => readonly Asked[]);
  /** Makes the change. Afterwards, the dialog shows the error or the content passed to `show`, or closes. */
  act: (values: Fields, show: (content: Content) => void) => Promise<unknown>;
};

/** What a dialog shows, until the user confirms it. After a change, Escape does not close it. */
export type Content = { title: string; body: ComponentChildren; done: string };

export function openQuestions() {
  const question = signal<Question | Content | undefined>(undefined);
  return {
    question,
    ask(next: Question): void {
      question.value = next;
    },
    show(content: Content): void {
      question.value = content;
    },
    close(): void {
      question.value = undefined;
    },
  };
}

export type Questions = ReturnType<typeof openQuestions>;

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
  question: Question | Content;
  close: () => void;
  problem: ((error: QuotientError) => ComponentChildren) | undefined;
};

function AskedDialog({ question, close, problem }: AskedProps) {
  const asked = 'act' in question ? question : undefined;
  const dialog = useRef<HTMLDialogElement>(null);
  const content = useSignal<Content | undefined>('act' in question ? undefined : question);
  const id = useId();

  useLayoutEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
    return () => {
      element?.close();
      // If the change has replaced or hidden the opener, the title of the view gets the focus.
      const titles = document.querySelectorAll<HTMLElement>('main h1');
      [opener, ...titles].find((one): one is HTMLElement => Boolean(one?.checkVisibility()))?.focus();
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
        if (asked && content.value) event.preventDefault();
      }}
      onClose={close}
    >
      <h2 id={`${id}-title`} tabIndex={-1}>
        {content.value?.title ?? asked?.texts[0]}
      </h2>
      {content.value && (
        <div id={`${id}-effect`} class="shown-once">
          {content.value.body}
          <div class="row end">
            <button type="button" class="primary" onClick={close}>
              {content.value.done}
            </button>
          </div>
        </div>
      )}
      {asked && !content.value && (
        <QuestionForm
          id={`${id}-effect`}
          question={asked}
          close={close}
          problem={problem}
          show={(next) => {
            content.value = next;
          }}
        />
      )}
    </dialog>
  );
}

type QuestionProps = Omit<AskedProps, 'question'> & {
  question: Question;
  /** The ID of the effect. */
  id: string;
  show: (content: Content) => void;
};

function QuestionForm({ question, close, problem, id, show }: QuestionProps) {
  const { texts, effect, isDangerous, act } = question;
  const [, yes, busy] = texts;
  const form = useRef<HTMLFormElement>(null);
  const values = useSignal<Fields | undefined>(undefined);
  const fields = typeof question.fields === 'function' ? question.fields(values.value) : (question.fields ?? []);
  const keys = fields.map(({ name, reset = '' }) => `${name} ${reset}`);
  useLayoutEffect(() => {
    if (form.current) values.value = fieldsOf(form.current);
  }, [keys.join()]);
  return (
    <Form
      class="shown-once"
      formRef={form}
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
      onSubmit={async (given) => {
        let isShown = false;
        await act(given, (content) => {
          isShown = true;
          show(content);
        });
        if (!isShown) close();
      }}
    >
      {fields.map((field, place) => (
        <AskedField key={keys[place]} field={field} />
      ))}
      <p id={id} aria-live="polite">
        {values.value && effect(values.value)}
      </p>
    </Form>
  );
}
