import { useEffect, useRef } from 'preact/hooks';
import { Field, Form } from '../pages/components/form.tsx';
import { problem } from './api/problem.tsx';
import { signIn } from './core/store.ts';

export function SignIn() {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  return (
    <div class="card sign-in">
      <h1 tabIndex={-1}>Operator</h1>
      <p class="soft">
        Sign in with the admin token of this service, the value of <code>ADMIN_TOKEN</code>. The browser forgets it when
        you close the tab.
      </p>
      <Form
        class="shown-once"
        formRef={form}
        button={['Sign in', 'Signing in…']}
        problem={problem}
        onSubmit={(fields) => signIn(fields('token'))}
      >
        <Field
          name="token"
          label="Admin token"
          type="password"
          required
          minLength={32}
          maxLength={512}
          missing="Enter the admin token."
          wrong="An admin token has at least 32 characters."
        />
      </Form>
    </div>
  );
}
