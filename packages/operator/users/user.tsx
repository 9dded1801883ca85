import { Isolated, Tag, Time } from '../../pages/components/figures.tsx';
import { Head } from '../../pages/components/head.tsx';
import { Loaded } from '../../pages/components/states.tsx';
import { problem } from '../api/problem.tsx';
import { fragmentOf, type Place } from '../core/router.ts';
import { lastSearch, user } from '../core/store.ts';
import { AccountPanel, ActionsPanel, CreditsPanel, KeysPanel } from './panels.tsx';
import { UsagePanel } from './usage.tsx';
import { Identity } from './words.tsx';

/** One user, with all changes. */
export function UserView({ place: { id = '' } }: { place: Place }) {
  const shown = user.value.value?.user;
  const title = shown ? (
    <>
      <Identity of={shown} /> <Tag state={shown.state} />
    </>
  ) : (
    `User ${id}`
  );
  return (
    <>
      <p class="back">
        <a href={fragmentOf('users', lastSearch.value)}>← Users</a>
      </p>
      <Head title={title}>{shown && <a href={fragmentOf('audit', { user: id })}>Audit log of this user</a>}</Head>
      {/* The loaded name may wrap, so the data is a new element, which does not shift. */}
      <Loaded key={shown === undefined} of={user} problem={problem}>
        {(loaded) => (
          <>
            {loaded.user.suspension && (
              <p class="note warn">
                <span>
                  <strong>
                    Suspended since <Time at={loaded.user.suspension.since} />.
                  </strong>{' '}
                  The user sees this reason: <Isolated>{loaded.user.suspension.reason}</Isolated>
                </span>
              </p>
            )}
            <div class="columns user">
              <div class="stack">
                <UsagePanel {...loaded} />
                <KeysPanel user={loaded.user} />
                <CreditsPanel user={loaded.user} />
              </div>
              <div class="stack">
                <ActionsPanel user={loaded.user} />
                <AccountPanel user={loaded.user} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}
