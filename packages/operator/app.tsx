import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { QuestionDialog } from '../pages/components/dialog.tsx';
import { useFocusOnMove } from '../pages/components/shell.tsx';
import { Loading } from '../pages/components/states.tsx';
import { Toast } from '../pages/components/toast.tsx';
import { problem } from './api/problem.tsx';
import { Audit } from './audit/audit.tsx';
import { parametersOf } from './audit/changes.ts';
import { type Place, placeIn } from './core/router.ts';
import * as store from './core/store.ts';
import { Overview } from './overview.tsx';
import { Announcement } from './service/announcement.tsx';
import { Messages } from './service/messages.tsx';
import { Sources } from './service/sources.tsx';
import { Tokens } from './service/tokens.tsx';
import { OperatorBar } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { UserList } from './users/list.tsx';
import { UserView } from './users/user.tsx';

type View = {
  name: string;
  title: string;
  Component: ComponentType<{ place: Place }>;
  load: (place: Place) => unknown;
};

const VIEWS: readonly View[] = [
  { name: 'overview', title: 'Overview', Component: Overview, load: () => store.overview.load(undefined) },
  { name: 'users', title: 'Users', Component: UserList, load: ({ query }) => store.users.load(query) },
  { name: 'tokens', title: 'Tokens', Component: Tokens, load: ({ query }) => store.tokens.load(query) },
  { name: 'sources', title: 'Sources', Component: Sources, load: () => store.sources.load(undefined) },
  { name: 'messages', title: 'Messages', Component: Messages, load: ({ query }) => store.messages.load(query) },
  { name: 'announcement', title: 'Announcement', Component: Announcement, load: () => undefined },
  { name: 'audit', title: 'Audit log', Component: Audit, load: ({ query }) => store.audit.load(parametersOf(query)) },
];
const USER: View = { name: 'users', title: 'User', Component: UserView, load: ({ id }) => store.user.load(Number(id)) };

function viewOf({ view, id }: Place): View {
  if (view === 'users' && /^[1-9]\d{0,9}$/.test(id ?? '')) return USER;
  return VIEWS.find(({ name }) => name === view) ?? (VIEWS[0] as View);
}

/** Shows the view of the URL. */
function showPlace(): void {
  const next = placeIn(location.hash);
  const { value: current } = store.place;
  store.questions.close();
  if (viewOf(next) !== viewOf(current) || next.id !== current.id) store.clearViews();
  if (next.view === 'users' && next.id === undefined) store.lastSearch.value = next.query;
  store.place.value = next;
  if (store.token.value === undefined) return;
  void store.announcement.load(undefined);
  void viewOf(next).load(next);
}
addEventListener('hashchange', showPlace);

/** The announcement of the service, which a demo uses to state that its data is synthetic. */
function Banner() {
  const { value } = store.announcement.value;
  return value?.text ? (
    <aside class="announcement" aria-label="Announcement">
      <bdi>{value.text}</bdi>
    </aside>
  ) : null;
}

export function App() {
  const { value: place } = store.place;
  const isSignedIn = store.token.value !== undefined;
  const view = viewOf(place);
  const { Component } = view;
  const title = isSignedIn ? `${view.title}${view === USER ? ` ${place.id}` : ''}` : 'Sign in';
  useFocusOnMove(isSignedIn ? `${view.title} ${place.id} ${place.query.cursor ?? ''}` : 'sign-in', store.toasts.clear);
  useEffect(() => {
    document.title = `${title} · Quotient operator`;
  }, [title]);
  useEffect(() => {
    if (isSignedIn) showPlace();
  }, [isSignedIn]);
  // The banner is above the view, so both appear together.
  const isReady = store.announcement.value.value !== undefined || store.announcement.error.value !== undefined;
  return (
    <>
      <OperatorBar views={VIEWS} current={view.name} isSignedIn={isSignedIn} signOut={signOut} />
      <main tabIndex={-1} data-view={isSignedIn ? view.name : 'sign-in'}>
        {isSignedIn && view.name !== 'announcement' && <Banner />}
        {!isSignedIn && <SignIn />}
        {isSignedIn && (isReady ? <Component place={place} /> : <Loading />)}
      </main>
      <Toast toasts={store.toasts} />
      <QuestionDialog questions={store.questions} problem={problem} />
    </>
  );
}

const signOut = () => store.end('You are signed out. This tab no longer stores the token.');
