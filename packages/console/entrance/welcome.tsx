import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Check, Choices } from '../../pages/components/choices.tsx';
import { Field, Form } from '../../pages/components/form.tsx';
import { count } from '../../pages/format.ts';
import { page } from '../core/store.ts';
import { ABOUT } from '../shell/pages.ts';
import { Sample } from './sample.tsx';
import type { Entrance } from './store.ts';

const REGISTRATION_TEXTS = {
  open: 'You get an API key right away. No password or confirmation email is required.',
  verified: 'You get an API key after you confirm your email address. No password is required.',
  closed: 'The operator of this service issues the API keys.',
};
const FACTS = [
  ['Only successful calls count.', 'Errors are free. Data that has not changed since your last call is also free.'],
  ['Stale data beats no data.', 'When a data source fails, you get the last good values and their age.'],
  ['Everything here is an API call.', 'You can copy a curl command for all data on this page.'],
] as const;
export const REMEMBER_RISK =
  'If you stay signed in, anyone who uses this browser profile can use the key. Otherwise, the browser deletes the key when you close the tab.';

type CardProps = { title: string; class?: string; level?: 1 | 2; children: ComponentChildren };

/** A part of the welcome page or, with a heading of level 1, a view. */
export function Card({ title, class: kind = '', level = 2, children }: CardProps) {
  const id = useId();
  const Heading = `h${level}` as const;
  return (
    <section class={`card ${kind}`} aria-labelledby={id}>
      <Heading id={id} tabIndex={level === 1 ? -1 : undefined}>
        {title}
      </Heading>
      {children}
    </section>
  );
}

const EMAIL = { name: 'email', type: 'email', autocomplete: 'email', required: true, maxLength: 254 } as const;
const EMAIL_TEXTS = { missing: 'Enter your email address.', wrong: 'Enter an address like ada@example.org.' };
const NAME = { name: 'name', autocomplete: 'name', autocapitalize: 'words', required: true, maxLength: 100 } as const;
const NAME_TEXTS = { missing: 'Enter your name.', wrong: 'Enter a name of 1 to 100 characters.' };

type SignUpProps = { entrance: Entrance; isPrimary: boolean };

function SignUp({ entrance: { service, signUp }, isPrimary }: SignUpProps) {
  const { plans, registration } = service;
  const plan = useSignal<string>(plans[0]?.name ?? '');
  const options = plans.map(({ name, limit, per }) => {
    const label = [<strong key={name}>{name}</strong>, ` ${count(limit)} calls ${per}`];
    return [name, label] as const;
  });
  const term = `${plans.find(({ name }) => name === plan.value)?.term}${registration === 'verified' ? ' from the confirmation' : ''}`;
  return (
    <Card title="Get a key" class={isPrimary ? '' : 'quiet'}>
      <Form
        class="shown-once"
        button={['Get a key', 'Creating key…', isPrimary ? 'primary' : '']}
        resets
        onSubmit={(fields) => signUp(fields, term)}
        onInput={(fields) => (plan.value = fields('plan'))}
      >
        <Field label="Name" {...NAME} {...NAME_TEXTS} />
        <Field label="Email" {...EMAIL} {...EMAIL_TEXTS} />
        <Choices name="plan" legend="Plan" kind="radio" options={options} selected={[String(plans[0]?.name)]} />
        <p class="soft">
          The key is valid for {term}. You can renew it in this console or with an API call.{' '}
          <a href="docs/plans#expiry-and-renewal">How to renew</a>
        </p>
      </Form>
    </Card>
  );
}

const WRONG_KEY = 'Enter your API key, which starts with qt_.';

/** `requested` is the page that a shared link opens after the sign-in. */
type SignInProps = { entrance: Entrance; requested: (typeof ABOUT)['prices'] | undefined };

const SignIn = ({ entrance, requested }: SignInProps) => (
  <Card title="Sign in with your key" class={requested ? '' : 'quiet'}>
    {requested && (
      <p>
        The page <strong>{requested.title}</strong> shows {requested.contents}. To open it, sign in.
      </p>
    )}
    <Form
      class="shown-once"
      button={['Sign in', 'Signing in…', requested ? 'primary' : '']}
      resets
      error={entrance.signInError}
      onSubmit={entrance.signIn}
    >
      <Field name="key" label="API key" type="password" required maxLength={200} placeholder="qt_…" wrong={WRONG_KEY} />
      <Check name="remember" label="Stay signed in on this device" hint={REMEMBER_RISK} />
    </Form>
  </Card>
);

const Recovery = ({ entrance }: { entrance: Entrance }) => (
  <Card title="Recover your account" class="quiet">
    <p class="soft">
      You get an email with a link to a new owner key. When you open the link and get the new key, your previous owner
      keys stop working.
    </p>
    <Form class="shown-once" button={['Send the link', 'Sending…', '']} resets onSubmit={entrance.recover}>
      <Field label="Email address you registered with" {...EMAIL} {...EMAIL_TEXTS} />
    </Form>
  </Card>
);

/** The view of visitors who are not signed in. If a shared link names a page, the sign-in comes first. */
export function Welcome({ entrance }: { entrance: Entrance }) {
  const { registration, sendsMail } = entrance.service;
  const requested = page.value !== 'prices' || location.search !== '' ? ABOUT[page.value] : undefined;
  const signUp =
    registration === 'closed' ? (
      <Card title="Get a key" class={requested ? 'quiet' : ''}>
        <p>Registration is closed. Ask the operator of this service for a key.</p>
      </Card>
    ) : (
      <SignUp entrance={entrance} isPrimary={!requested} />
    );
  return (
    <div class="welcome">
      <div class="lead">
        <h1 tabIndex={-1}>Market quotes, on&nbsp;a&nbsp;quota.</h1>
        <p>
          Prices, price history and on-chain statistics of bitcoin, ethereum and other tokens, in US dollars and other
          currencies. {REGISTRATION_TEXTS[registration]}
        </p>
      </div>
      <div class="cards">
        {!requested && signUp}
        <SignIn entrance={entrance} requested={requested} />
        <details class="lost-key">
          <summary>Lost your key?</summary>
          {sendsMail ? (
            <Recovery entrance={entrance} />
          ) : (
            <p class="note">This service does not send email. Ask the operator for a new key.</p>
          )}
        </details>
        {requested && signUp}
      </div>
      <Sample client={entrance.anonymous} />
      <ul class="facts">
        {FACTS.map(([title, text]) => (
          <li key={title}>
            <strong>{title}</strong> {text}
          </li>
        ))}
      </ul>
    </div>
  );
}
