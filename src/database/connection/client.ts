import pg from 'pg';
import { SECOND } from '#core/clock';
import { enforceBinding } from './channel-binding.ts';
import { type Parameters, toOptions, toStatement } from './parameters.ts';
import type { ChannelBinding } from './server-url.ts';
import { isRejectedStartup, unsuitable } from './unreachable.ts';

const CONNECT_TIMEOUT = 5 * SECOND;

export const COMMON: pg.ClientConfig = {
  application_name: 'quotient',
  connectionTimeoutMillis: CONNECT_TIMEOUT,
  keepAlive: true,
};

export type Reach = pg.ClientConfig & {
  parameters: Parameters;
  /** Whether the server has set the parameters and restores them, as the embedded database does. */
  isPrepared?: boolean;
  /** Shared by all clients of a database: a pooler rejects the startup parameter `options` each time. */
  startup: { hasOptions: boolean };
  /** The decoded name, because `pg` leaves characters such as `#` encoded. */
  database?: string | undefined;
  /** The schema of all tables, if it is not `public`. */
  schema?: string;
  channelBinding?: ChannelBinding;
  /** If the URL has several hosts: their names, and the search for the host to use. */
  hosts?: string;
  find?: () => Promise<{ host: string; port: number }>;
};

type Given = [query: string | object, values?: unknown, callback?: unknown];
type Callback = (error: Error | null, result?: unknown) => void;
type Inspection = { encoding: string; isolation: string; set: number };

/** A connection on which the required session parameters apply to every statement (see the README). */
export class DatabaseClient extends pg.Client {
  readonly hosts: string | undefined;
  readonly hadOptions: boolean;
  readonly #reach: Reach;

  constructor(reach: Reach) {
    super(reach);
    this.#reach = reach;
    this.hosts = reach.hosts;
    const { startup, parameters, database } = reach;
    this.hadOptions = startup.hasOptions;
    const options = this.hadOptions ? toOptions(parameters) : undefined;
    Object.assign(connectionParameters(this), { options, ...(database !== undefined && { database }) });
    if (database !== undefined) this.database = database;
    // The error can be ignored here, because the running statement is rejected too.
    this.on('error', () => undefined);
    enforceBinding(this, reach.channelBinding ?? 'disable');
  }

  async #connect(): Promise<this> {
    if (this.#reach.find) {
      const found = await this.#reach.find();
      Object.assign(this, found);
      // `pg` uses these fields to look up the password in a password file.
      Object.assign(connectionParameters(this), found);
    }
    try {
      await super.connect();
      if (!this.#reach.isPrepared) await this.#inspect();
    } catch (error) {
      if (isRejectedStartup(error)) this.#reach.startup.hasOptions = false;
      this.connection.stream.destroy();
      throw error;
    }
    return this;
  }

  /** Checks the properties that the service cannot set, and whether the session belongs to this client alone. */
  async #inspect(): Promise<void> {
    const names = Object.keys(this.#reach.parameters).map((name) => `'${name.toLowerCase()}'`);
    const { rows } = await super.query<Inspection>({
      text: `SELECT current_setting('server_encoding') AS encoding,
        current_setting('default_transaction_isolation') AS isolation,
        (SELECT count(*)::int FROM pg_settings WHERE source = 'client' AND lower(name) IN (${names})) AS set`,
      query_timeout: CONNECT_TIMEOUT,
    } as pg.QueryConfig);
    const { encoding, isolation, set } = rows[0] as Inspection;
    if (encoding !== 'UTF8') throw unsuitable(`its encoding is ${encoding}: use a database with the encoding UTF8`);
    if (set === names.length) return;
    if (isolation !== 'read committed')
      throw unsuitable(
        `the pooler drops startup options, and default_transaction_isolation is ${isolation}: run ALTER ROLE … SET default_transaction_isolation TO 'read committed'`,
      );
    const setting = toStatement(this.#reach.parameters);
    this.query = ((...args: Given) => {
      const query = new SettingQuery(this, setting, args);
      if (query.callback) return super.query(query);
      return new Promise((resolve, reject) => {
        query.callback = (error, result) => (error ? reject(error) : resolve(result));
        super.query(query);
      });
    }) as unknown as typeof this.query;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
  override connect(callback?: (error: never, client: never) => void): unknown {
    const connected = this.#connect();
    if (!callback) return connected;
    const called = callback as (error: Error | null, client?: pg.Client) => void;
    return void connected.then(() => called(null, this), called);
  }
}

const connectionParameters = (client: pg.Client) =>
  (client as unknown as { connectionParameters: object }).connectionParameters;

type Connection = Record<'parse' | 'bind' | 'execute', (message?: object) => void>;

type Extensible = new (
  ...args: Given
) => {
  text: string;
  queryMode?: string;
  callback?: Callback;
  submit(connection: Connection): unknown;
  prepare(connection: Connection): void;
  handleCommandComplete(message: object, connection: Connection): void;
};

/** A statement that, if it begins a transaction, first sets the parameters. */
class SettingQuery extends (pg.Query as unknown as Extensible) {
  readonly #client: pg.Client;
  readonly #setting: string;
  #isPreceded = false;

  constructor(client: pg.Client, setting: string, args: Given) {
    super(...args);
    this.#client = client;
    this.#setting = setting;
  }

  override submit(connection: Connection): unknown {
    if (this.#client.getTransactionStatus() === 'I') {
      if (/^BEGIN\b/.test(this.text)) {
        const begin = this.text === 'BEGIN' ? 'BEGIN ISOLATION LEVEL READ COMMITTED' : this.text;
        this.text = begin.replace(/^[^;]*/, `$&; ${this.#setting}`);
      } else {
        this.queryMode = 'extended';
        this.#isPreceded = true;
      }
    }
    return super.submit(connection);
  }

  override prepare(connection: Connection): void {
    if (this.#isPreceded) {
      connection.parse({ text: this.#setting });
      connection.bind();
      connection.execute();
    }
    super.prepare(connection);
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    if (this.#isPreceded) this.#isPreceded = false;
    else super.handleCommandComplete(message, connection);
  }
}
