import { describe, expect, it } from 'vitest';
import { parseServerUrl } from '#database/hosts';

const urlsOf = (text: string) => parseServerUrl(text).hosts.map(({ url }) => url);

describe('the URL of a PostgreSQL server', () => {
  it.each([
    'postgresql://localhost/quotient',
    'postgres://ada:a%2Cb%40c@db.example.org:6432/quotient?sslmode=verify-full&options=',
    'postgresql:///quotient',
    'postgresql://%2Fvar%2Frun%2Fpostgresql/quotient',
    'postgresql://ada@[::1]:5433/quotient',
  ])('with one host is unchanged: %s', (url) => {
    expect(urlsOf(url)).toEqual([url]);
    expect(parseServerUrl(url).session).toBe('any');
  });

  it('may have several hosts, in order, each with its port or 5432', () => {
    const { hosts, session } = parseServerUrl(
      'postgresql://ada:secret@db1:5433,db2,[fe80::1]:5434,%2Ftmp/quotient?target_session_attrs=read-write&sslmode=disable',
    );
    expect(session).toBe('read-write');
    expect(hosts).toEqual(
      ['db1:5433', 'db2:5432', '[fe80::1]:5434', '%2Ftmp:5432'].map((place) => ({
        name: decodeURIComponent(place),
        url: `postgresql://ada:secret@${place}/quotient?sslmode=disable`,
      })),
    );
  });

  it('may have hosts in its parameters, which replace those of the authority', () => {
    expect(urlsOf('postgresql:///q?host=db1,::1,/tmp&port=6432')).toEqual([
      'postgresql://db1:6432/q',
      'postgresql://[::1]:6432/q',
      'postgresql://%2Ftmp:6432/q',
    ]);
    expect(urlsOf('postgresql://other:1/q?host=db1,db2&port=6432,')).toEqual([
      'postgresql://db1:6432/q',
      'postgresql://db2:5432/q',
    ]);
    expect(urlsOf('postgresql://db1:1,db2:2/q?port=3')).toEqual(['postgresql://db1:3/q', 'postgresql://db2:3/q']);
    expect(urlsOf('postgresql:///q?host=/tmp')).toEqual(['postgresql://%2Ftmp/q']);
  });

  it.each(['any', 'read-write', 'primary'])('may require a kind of session: %s', (session) => {
    expect(parseServerUrl(`postgresql://db/q?target_session_attrs=${session}`).session).toBe(session);
  });

  it.each(['standby', 'prefer-standby', 'read-only', 'Primary', 'none'])(
    'rejects an unsupported kind of session: %s',
    (session) => {
      expect(() => parseServerUrl(`postgresql://db/q?target_session_attrs=${session}`)).toThrow(/target_session_attrs/);
    },
  );

  it.each([
    ['postgresql://db1,,db2/q', 'each host'],
    ['postgresql://db1,/q', 'each host'],
    ['postgresql://db1:5432,db2:port/q', 'must have the form'],
    ['postgresql://db1:5432,db2:70000/q', 'must have the form'],
    ['postgresql://db1:0,db2/q', 'must have the form'],
    ['postgresql://[::1,db2/q', 'must have the form'],
    ['postgresql://::1,db2/q', 'must have the form'],
    ['postgresql://a%zz,b/q', 'must have the form'],
    ['postgresql:///q?host=a,b,c&port=1,2', 'one port for each host'],
    ['postgresql:///q?host=a,b&port=x', 'must have the form'],
    ['postgresql://a,b/q?hostaddr=10.0.0.1', 'hostaddr'],
    ['postgresql://a,b/q?load_balance_hosts=random', 'load_balance_hosts'],
    ['postgresql://a,b,c,d,e,f,g,h,i/q', '8 hosts'],
    ['mysql://a/q', 'must have the form'],
  ])('is rejected with an error that does not contain it: %s', (url, word) => {
    expect(() => parseServerUrl(url)).toThrow(RangeError);
    expect(() => parseServerUrl(url)).toThrow(word);
  });
});
