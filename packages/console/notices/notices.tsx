import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Notices } from '../../client/index.ts';
import { Check } from '../../pages/components/choices.tsx';
import { CodeBlock } from '../../pages/components/code.tsx';
import { Isolated, Panel } from '../../pages/components/figures.tsx';
import { Field, Form } from '../../pages/components/form.tsx';
import { Head } from '../../pages/components/head.tsx';
import { Empty, Loading } from '../../pages/components/states.tsx';
import { PanelProblem } from '../core/failures.tsx';
import { Deliveries } from './deliveries.tsx';
import type { NoticesStore } from './store.ts';

type Props = { store: NoticesStore };

const WRONG_URL =
  'Enter a public https:// URL without a user name or password. The operator can allow other addresses with WEBHOOK_ALLOW.';

function Settings({ store, of: settings }: Props & { of: Notices }) {
  const { saved, session, save } = store;
  const form = useRef<HTMLFormElement>(null);
  // The service sorts the percentages, so the fields show what it has saved.
  useLayoutEffect(() => form.current?.reset(), [settings]);
  return (
    <Form
      class="shown-once"
      formRef={form}
      button={['Save', 'Saving…']}
      before={
        <p class="saved" role="status">
          {saved.value && 'Saved.'}
        </p>
      }
      onInput={() => {
        if (saved.value && saved.value.secret === undefined) saved.value = undefined;
      }}
      onSubmit={save}
    >
      <Field
        class="percentages"
        name="thresholds"
        label="At these percentages of the allowance (%)"
        placeholder="none"
        maxLength={60}
        defaultValue={settings.thresholds.join(', ')}
        wrong="Enter whole numbers from 1 to 100, such as 80, 100."
      />
      <Check
        name="email"
        checked={settings.email}
        label={
          <>
            By email to <Isolated>{session.user?.email}</Isolated>
          </>
        }
      />
      <Field
        name="webhookUrl"
        label="By webhook to this URL"
        type="url"
        placeholder="https://…"
        maxLength={2000}
        defaultValue={settings.webhookUrl ?? ''}
        wrong={WRONG_URL}
      />
    </Form>
  );
}

/** The secret of a new webhook URL. */
function Secret({ store: { saved } }: Props) {
  const secret = saved.value?.secret;
  return (
    <div role="status" aria-label="Webhook secret">
      {secret !== undefined && (
        <div class="note secret">
          <p>
            <strong>Save the signing secret.</strong> The service signs the requests to the webhook URL with it. The
            secret is shown only once.
          </p>
          <CodeBlock text={secret} />
          <p class="row">
            <button type="button" class="small" onClick={() => (saved.value = undefined)}>
              I have saved it
            </button>
            <a href="docs/webhooks#verify-the-signature" target="_blank" rel="noreferrer">
              How to verify the signature
            </a>
          </p>
        </div>
      )}
    </div>
  );
}

const RESTRICTED =
  'This key cannot manage the account. To change notices and see webhook deliveries, sign in with the owner key.';

const Off = () => (
  <Empty>
    This service sends no notices, because the operator has not set up email. To watch your usage, open the page Usage,
    or read <code>RateLimit</code> in the headers of each response. <a href="docs/webhooks">About notices</a>
  </Empty>
);

/** The page Notices: when and where the service sends notices, and the deliveries of webhooks. */
export function NoticesPage({ store }: Props) {
  useEffect(store.open, []);
  const { access, isOff, settings } = store;
  const isUsable = access.value !== 'none' && !isOff.value;
  return (
    <>
      <Head title="Notices" />
      <div class="notices-page">
        <Panel title="Settings" class="notices">
          {!isUsable && (isOff.value ? <Off /> : <Empty>{RESTRICTED}</Empty>)}
          {isUsable && (
            <>
              <div class="soft">
                <p>
                  You get a notice when your usage reaches one of the percentages, and 7 days and 1 day before your keys
                  expire.
                </p>
                <p>
                  <a href="docs/webhooks">About notices and webhooks</a>
                </p>
              </div>
              <div>
                <PanelProblem of={settings.failure} />
                {settings.value.value ? (
                  <Settings store={store} of={settings.value.value} />
                ) : (
                  !settings.error.value && <Loading />
                )}
                <Secret store={store} />
              </div>
            </>
          )}
        </Panel>
        {isUsable && <Deliveries store={store} />}
      </div>
    </>
  );
}
