/** Settings under which every test database runs: the service must not depend on any of them. */
const OF_DATABASE = {
  timezone: 'Asia/Kolkata',
  datestyle: 'SQL, DMY',
  intervalstyle: 'sql_standard',
  extra_float_digits: '-15',
  bytea_output: 'escape',
};
const OF_ROLE = {
  timezone: 'America/St_Johns',
  datestyle: 'German',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  quote_all_identifiers: 'on',
  row_security: 'off',
  lock_timeout: '100ms',
  statement_timeout: '3s',
  idle_in_transaction_session_timeout: '3s',
};
const PATH = 'elsewhere, "$user", public';
/** A connection whose startup options a pooler drops cannot set the isolation level without another round trip. */
const ISOLATION = "default_transaction_isolation TO 'serializable'";

const set = (whose: string, settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).map(([name, value]) => `ALTER ${whose} SET ${name} TO '${value}'`);

/** The password of the role, which a server may require. */
export const PASSWORD = 'not-a-secret';

/** The role owns the test databases and is not a superuser. Its settings have precedence over the database's. */
export const roleStatements = (role: string): string[] => [
  `CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`,
  ...set(`ROLE ${role}`, OF_ROLE),
  `ALTER ROLE ${role} SET search_path TO ${PATH}`,
];

export const databaseStatements = (name: string, isPooled: boolean): string[] => [
  ...set(`DATABASE ${name}`, OF_DATABASE),
  ...(isPooled ? [] : [`ALTER DATABASE ${name} SET ${ISOLATION}`]),
];

/** The embedded database ignores the settings of databases and roles. */
export const SYSTEM_STATEMENTS = Object.entries({ ...OF_DATABASE, ...OF_ROLE }).map(
  ([name, value]) => `ALTER SYSTEM SET ${name} TO '${value}'`,
);

/** Creates tables of the same names in a schema that precedes `public` in the role's search path. */
export const SHADOWS = `CREATE SCHEMA elsewhere;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')
    LOOP EXECUTE 'CREATE TABLE elsewhere.' || name || ' (shadow int)'; END LOOP;
  END $$`;
