import type pg from 'pg';
import { serverConfig } from '#database/connection/server';
import { connect } from '#database/pool';

/**
 * Connects a test to a server, as the service does, because the settings of a test database change how values are read
 * and written. The other name keeps the test's statements apart from the service's.
 */
export const connectTo = (url = '', name = 'test'): Promise<pg.Client> =>
  connect({ ...serverConfig(url), application_name: name });
