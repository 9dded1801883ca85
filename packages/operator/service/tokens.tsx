import { CodeBlock } from '../../pages/components/code.tsx';
import { Panel, Time } from '../../pages/components/figures.tsx';
import { Loaded } from '../../pages/components/states.tsx';
import { Table } from '../../pages/components/table.tsx';
import { problem } from '../api/problem.tsx';
import { Changes } from '../audit/audit.tsx';
import { Head, Refresh } from '../core/head.tsx';
import { tokens } from '../core/store.ts';
import type { SourceReport } from '../generated/records.ts';

const COMMANDS = [
  ['List the tokens with their states, last prices and aliases', 'npx quotient tokens list'],
  ['Add a token by its CoinGecko ID', 'npx quotient tokens add dogecoin'],
  ['Return the data of the successor for a renamed token', 'npx quotient tokens alias luna luna-2'],
  ['Hide a token; its data is kept', 'npx quotient tokens remove dogecoin'],
] as const;

/** The tokens without a current price, with the sources that have none. */
function inactiveIn(reports: readonly SourceReport[]): { token: string; sources: string }[] {
  const names = [...new Set(reports.flatMap(({ inactiveTokens }) => inactiveTokens))].sort();
  return names.map((token) => {
    const without = reports.filter(({ inactiveTokens }) => inactiveTokens.includes(token));
    return { token, sources: without.map(({ name }) => name).join(', ') };
  });
}

export const Tokens = () => (
  <>
    <Head title="Tokens" hint="Tokens are added and removed on the command line of the service.">
      <Refresh of={tokens} />
    </Head>
    <Loaded of={tokens} problem={problem}>
      {({ sources, events }) => (
        <div class="columns">
          <div class="stack">
            <Panel title="Tokens without a current price">
              <Table
                label="Tokens without a current price"
                empty="All tokens in the memory of this process have a current price."
                items={inactiveIn(sources)}
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
                items={events.slice(0, 20)}
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
          <Panel title="Commands">
            <dl class="commands">
              {COMMANDS.map(([text, command]) => (
                <div key={command}>
                  <dt>{text}</dt>
                  <dd>
                    <CodeBlock text={command} />
                  </dd>
                </div>
              ))}
            </dl>
          </Panel>
        </div>
      )}
    </Loaded>
  </>
);
