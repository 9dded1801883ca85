import { Isolated, Panel, Time } from '../../pages/components/figures.tsx';
import { Field, Form } from '../../pages/components/form.tsx';
import { Head, Refresh } from '../../pages/components/head.tsx';
import { Table } from '../../pages/components/table.tsx';
import { UNKNOWN } from '../../pages/format.ts';
import { problem } from '../api/problem.tsx';
import { Changes } from '../audit/audit.tsx';
import { Filters, List } from '../core/list.tsx';
import type { Place } from '../core/router.ts';
import { api, coins, tokens } from '../core/store.ts';
import type { ServedToken, SourceReport } from '../generated/records.ts';
import { askAddition, askRemoval, askSuccessor } from './token-dialogs.tsx';

const ORIGINS: Readonly<Record<ServedToken['origin'], string>> = {
  built_in: 'built in',
  operator: 'operator',
  request: 'on request',
};

type ActionProps = { label: string; of: { id: string }; start: () => void };
const Action = ({ label, of: { id }, start }: ActionProps) => (
  <button type="button" class="small" aria-label={`${label}: ${id}…`} onClick={start}>
    {label}…
  </button>
);

/** Built-in tokens cannot be changed. */
const unlessBuiltIn = (token: ServedToken, label: string, start: (token: ServedToken) => void) =>
  token.origin === 'built_in' ? UNKNOWN : <Action label={label} of={token} start={() => start(token)} />;

const Addition = () => (
  <Panel title="Add a token">
    <Form
      class="filters"
      button={['Find', 'Finding…']}
      problem={problem}
      onSubmit={async (fields) => coins.set(await api.coins(fields('coin')))}
    >
      <Field
        class="wide"
        name="coin"
        label="Coin at CoinGecko"
        type="search"
        required
        maxLength={100}
        missing="Enter a name, a symbol or an ID."
        placeholder="Name, symbol or CoinGecko ID"
      />
    </Form>
    {coins.value.value && (
      <Table
        label="Coins at CoinGecko"
        empty="No coin found. Search for a part of the name, or for the symbol."
        items={coins.value.value}
        keyOf={({ id }) => id}
        columns={[
          { title: 'CoinGecko ID', cell: ({ id }) => id },
          { title: 'Symbol', kind: 'text', cell: ({ symbol }) => <Isolated>{symbol}</Isolated> },
          { title: 'Title', kind: 'text', cell: ({ title }) => <Isolated>{title}</Isolated> },
          { title: 'Add', cell: (coin) => <Action label="Add" of={coin} start={() => askAddition(coin)} /> },
        ]}
      />
    )}
  </Panel>
);

/** The tokens without a current price, with the sources that have none. */
function inactiveIn(reports: readonly SourceReport[]): { token: string; sources: string }[] {
  const names = [...new Set(reports.flatMap(({ inactiveTokens }) => inactiveTokens))].sort();
  return names.map((token) => {
    const without = reports.filter(({ inactiveTokens }) => inactiveTokens.includes(token));
    return { token, sources: without.map(({ name }) => name).join(', ') };
  });
}

export function Tokens({ place }: { place: Place }) {
  const loaded = tokens.value.value;
  return (
    <>
      <Head title="Tokens" hint="All processes apply changes within seconds.">
        <Refresh of={tokens} />
      </Head>
      <Addition />
      <Filters place={place} label="Search" names={['query']}>
        <Field
          class="wide"
          name="query"
          label="Served tokens"
          type="search"
          maxLength={100}
          placeholder="ID, symbol or title"
          wrong="Enter up to 100 characters."
        />
      </Filters>
      <List
        place={place}
        of={tokens}
        label="Tokens"
        nouns={['token', 'tokens']}
        kind="wide"
        keyOf={({ id }) => id}
        columns={[
          { title: 'Token', cell: ({ id }) => id },
          { title: 'Symbol', kind: 'text', cell: ({ symbol }) => <Isolated>{symbol}</Isolated> },
          { title: 'Title', kind: 'text', cell: ({ title }) => <Isolated>{title}</Isolated> },
          { title: 'Added by', cell: ({ origin }) => ORIGINS[origin] },
          { title: 'Pairs', kind: 'text', cell: ({ pairs }) => Object.values(pairs).join(', ') || 'none' },
          { title: 'Successor', kind: 'text', cell: ({ successor }) => successor ?? 'none' },
          { title: 'Change', cell: (token) => unlessBuiltIn(token, 'Set successor', askSuccessor) },
          { title: 'Remove', cell: (token) => unlessBuiltIn(token, 'Remove', askRemoval) },
        ]}
      />
      {loaded && (
        <div class="stack">
          <Panel title="Tokens without a current price">
            <Table
              label="Tokens without a current price"
              empty="All tokens in the memory of this process have a current price."
              items={inactiveIn(loaded.sources)}
              keyOf={({ token }) => token}
              columns={[
                { title: 'Token', cell: ({ token }) => token },
                { title: 'Sources without a price', kind: 'text', cell: ({ sources }) => sources },
              ]}
            />
          </Panel>
          <Panel title="Changes" actions={<a href="#/audit">Audit log</a>}>
            <Table
              label="Changes of tokens"
              empty="No tokens were added, renamed or removed."
              items={loaded.events.slice(0, 20)}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Token', cell: ({ target }) => target.replace(/^token:/, '') },
                { title: 'Action', cell: ({ action }) => action },
                { title: 'Time', cell: ({ at }) => <Time at={at} /> },
                { title: 'Changes', kind: 'text', cell: (event) => <Changes of={event} /> },
              ]}
            />
          </Panel>
        </div>
      )}
    </>
  );
}
