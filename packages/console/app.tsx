import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { QuestionDialog } from '../pages/components/dialog.tsx';
import { useFocusOnMove } from '../pages/components/shell.tsx';
import { Account } from './account/account.tsx';
import { Alerts } from './core/failures.tsx';
import type { PageName } from './core/router.ts';
import { ended, failures, page, questions, view } from './core/store.ts';
import { EntranceViews } from './entrance/views.tsx';
import { ExposedKeys, Keys } from './keys/keys.tsx';
import { NoticesPage } from './notices/notices.tsx';
import { PricesPage } from './prices/page.tsx';
import { Header, Messages, Remedy, titleOfPage } from './shell/shell.tsx';
import * as stores from './stores.ts';
import { UsagePage } from './usage/usage.tsx';

const PAGES: Readonly<Record<Exclude<PageName, 'prices'>, ComponentType>> = {
  keys: () => <Keys list={stores.keys} />,
  usage: () => <UsagePage store={stores.usage} />,
  notices: () => <NoticesPage store={stores.notices} />,
  account: () => <Account store={stores.account} sendsMail={stores.sendsMail} />,
};

/** The page of the URL. Prices stays once it was opened, so that it keeps its figures. */
function Pages() {
  const { value: name } = page;
  const Page = name === 'prices' ? undefined : PAGES[name];
  return (
    <>
      <Alerts
        failures={failures}
        remedy={(error) => <Remedy error={error} account={stores.account} useOtherKey={stores.useOtherKey} />}
      />
      <ExposedKeys list={stores.keys} />
      {stores.hasPrices.value && (
        <div class="page" hidden={name !== 'prices'}>
          <PricesPage store={stores.prices} />
        </div>
      )}
      {Page && (
        <div key={`${name} ${stores.generation.value}`} class="page">
          <Page />
        </div>
      )}
    </>
  );
}

/** The name of what is shown. The focus moves to the title if it changes, but not at the first view. */
function shownName(): string | undefined {
  if (view.value === undefined) return ended === undefined ? undefined : 'ended';
  return `${view.value} ${view.value === 'pages' ? page.value : stores.entrance.link.value?.code}`;
}

export function App() {
  const title = titleOfPage();
  useEffect(() => {
    document.title = title;
  }, [title]);
  useFocusOnMove(shownName());
  // Nothing is visible before the first view is known, so that nothing moves.
  if (view.value === undefined) return null;
  return (
    <>
      <Header account={stores.account} />
      <main tabIndex={-1}>
        <Messages announced={stores.announced} />
        {view.value === 'pages' ? <Pages /> : <EntranceViews entrance={stores.entrance} />}
      </main>
      <QuestionDialog questions={questions} />
    </>
  );
}
