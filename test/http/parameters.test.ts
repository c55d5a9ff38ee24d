import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { readLedgerParameters } from '../../src/http/audit/parameters.js';
import { readNewOwner, readOwnerChanges, readOwnerId } from '../../src/http/business/owner-request.js';
import { readAsOf } from '../../src/http/parameters/as-of.js';
import { readEventsParameters } from '../../src/http/parameters/events.js';
import { businessListParameters } from '../../src/http/business/operations.js';
import { documentListParameters } from '../../src/http/document/operations.js';
import { type QueryValues, readQuery } from '../../src/http/parameters/query.js';
import { cursorText } from '../../src/http/parameters/cursor.js';
import { IN_CREATION_ORDER } from '../../src/read/queries.js';
import type { RequestInvalid } from '../../src/http/problem/failure.js';

const ID = '0198f000-0000-7000-8000-000000000000';

const query = (text: string): QueryValues => readQuery(text).values;

const queryOf = (parameters: Readonly<Record<string, string>>): QueryValues =>
  query(new URLSearchParams(parameters).toString());

const paths = (result: E.Either<RequestInvalid, unknown>): ReadonlyArray<string> =>
  E.isLeft(result) ? result.left.errors.map(({ path }) => path) : [];

describe('the parameters of a list', () => {
  it('reads filters and page, and ignores the rest', () => {
    expect(
      businessListParameters.read(query('name=a+b&ein=&limit=1000&after=x&foo=1&foo=2&__proto__=3')),
    ).to.deep.equal(
      E.right({
        filter: { name: 'a b', ein: '' },
        list: { order: IN_CREATION_ORDER, after: { id: 'x' } },
        limit: 1000,
      }),
    );
    expect(documentListParameters.read(query('tag=x&type=Nothing&uploadedBy=u'))).to.deep.equal(
      E.right({ filter: { tag: 'x', type: 'Nothing', uploadedBy: 'u' }, list: { order: IN_CREATION_ORDER } }),
    );
  });

  it('refuses a repeated filter, limit or after', () => {
    expect(paths(businessListParameters.read(query('name=a&name=a&limit=1&limit=1&after=a&after=b')))).to.deep.equal([
      'name',
      'limit',
      'after',
    ]);
  });

  it('refuses a limit that is not a whole number from 1 to 1000', () => {
    for (const limit of ['', '0', '-1', '1001', '1.0', '1e2', '0x10', ' 5', '٣', '99999999999999999999'])
      expect(paths(businessListParameters.read(queryOf({ limit }))), limit).to.deep.equal(['limit']);
  });

  it('reads what to search for, the owner, times and the order', () => {
    const read = businessListParameters.read(
      query(
        'q=acme+ltd&owner=ann&createdSince=2026-01-01T00:00:00Z&updatedSince=2026-02-01T01:00:00.5%2B01:00&sort=-name',
      ),
    );
    const since = { createdSince: '2026-01-01T00:00:00.000Z', updatedSince: '2026-02-01T00:00:00.500Z' };
    const list = { order: { by: 'name', isDescending: true } };
    expect(read).to.deep.equal(E.right({ filter: { q: 'acme ltd', owner: 'ann', ...since }, list, sort: '-name' }));
  });

  it('refuses what is no order, no time, or too long to search for', () => {
    const long = 'x'.repeat(256);
    expect(
      paths(documentListParameters.read(query(`q=${long}&createdSince=2026&updatedSince=now&sort=size`))),
    ).to.deep.equal(['q', 'createdSince', 'updatedSince', 'sort']);
    expect(paths(businessListParameters.read(query('q=%00&q=x&sort=Name')))).to.deep.equal(['q', 'sort']);
    expect(E.isRight(documentListParameters.read(query(`q=${long.slice(1)}`)))).to.equal(true);
  });

  it('goes on only after a record that it named under the same sort', () => {
    const read = (sort: string, after: string) => businessListParameters.read(queryOf({ sort, after }));
    for (const [sort, key] of [
      ['created', undefined],
      ['-created', undefined],
      ['name', 'Größe "ß" ✓'],
      ['-name', ''],
      ['name', 'a\u0001\u007f\n'.padEnd(300, '😀')],
    ] as const) {
      const cursor = key === undefined ? { id: ID } : { id: ID, key };
      const after = cursorText(sort, cursor);
      expect(after).to.match(/^[\w-]+$/);
      const known = read(sort, after);
      expect(E.isRight(known) && known.right.list.after).to.deep.equal(cursor);
      for (const other of ['created', '-created', 'name', '-name'])
        expect(paths(read(other, after)), `${sort} ${other}`).to.deep.equal(other === sort ? [] : ['after']);
    }
    const encoded = (parts: string): string => Buffer.from(parts).toString('base64url');
    for (const parts of ['x', '[]', `["name","${ID}"]`, '["name",1,"y"]', `["name","${ID}",1]`, '{"0":"name"}', '[['])
      expect(paths(read('name', encoded(parts))), parts).to.deep.equal(['after']);
    for (const after of [ID, '%', '~', 'null']) expect(paths(read('name', after)), after).to.deep.equal(['after']);
  });

  it('goes on after no key and no id that no record can have', () => {
    const read = (sort: string, ...parts: ReadonlyArray<string>) => {
      const after = Buffer.from(JSON.stringify([sort, ...parts])).toString('base64url');
      return paths(businessListParameters.read(queryOf({ sort, after })));
    };
    for (const key of ['a\0b', '\ud800', 'a\udc00b', '\udc00\ud800'])
      expect(read('name', ID, key), JSON.stringify(key)).to.deep.equal(['after']);
    for (const id of ['x', '', ID.replace('f', 'F'), `{${ID}}`]) {
      expect(read('-name', id, 'a'), id).to.deep.equal(['after']);
      expect(read('created', id), id).to.deep.equal(['after']);
    }
    expect(read('name', ID, 'a')).to.deep.equal([]);
  });

  it('takes U+FFFD for the character that it is', () => {
    const read = businessListParameters.read(query('q=%EF%BF%BD&name=a%EF%BF%BD'));
    const list = { order: IN_CREATION_ORDER };
    expect(read).to.deep.equal(E.right({ filter: { q: '\ufffd', name: 'a\ufffd' }, list }));
  });

  it('refuses an empty after and control characters', () => {
    expect(paths(documentListParameters.read(query('after=&tag=%00')))).to.deep.equal(['tag', 'after']);
  });
});

describe('the parameters of events', () => {
  it('reads all events, oldest first, without proof or diff, where nothing is said', () => {
    expect(readEventsParameters(query(''))).to.deep.equal(
      E.right({ direction: 'forwards', proof: false, diff: false }),
    );
  });

  it('reads place, order, page, proof and diff', () => {
    expect(readEventsParameters(query('from=007&limit=2&order=desc&proof=true&diff=true'))).to.deep.equal(
      E.right({ from: 7n, limit: 2, direction: 'backwards', proof: true, diff: true }),
    );
  });

  it('takes a number larger than any store can hold as a place past the end', () => {
    expect(readEventsParameters(query(`from=${'9'.repeat(400)}`))).to.deep.equal(
      E.right({ from: 9007199254740990n, direction: 'forwards', proof: false, diff: false }),
    );
  });

  it('names every parameter that is malformed', () => {
    expect(paths(readEventsParameters(query('from=-1&limit=0&order=up&proof=1&diff=yes')))).to.deep.equal([
      'from',
      'limit',
      'order',
      'proof',
      'diff',
    ]);
  });
});

describe('the parameters of the events of all records', () => {
  it('reads filters, page and order', () => {
    expect(
      readLedgerParameters(query('user=bob&since=2026-01-01T00:00:00Z&limit=2&after=7&order=desc&reason=B%20a')),
    ).to.deep.equal(
      E.right({
        filter: { user: 'bob', since: new Date('2026-01-01T00:00:00Z'), reason: ['b', 'a'] },
        ...{ limit: 2, after: 7n, direction: 'backwards', bom: false, diff: false },
      }),
    );
  });
});

describe('the parameters of an earlier state', () => {
  const at = (text: string) => readAsOf(queryOf({ at: text }));
  const instant = (text: string) => E.right({ _tag: 'AtTime', at: new Date(text) });

  it('is the current state where nothing is said', () => {
    expect(readAsOf(query('x=1'))).to.deep.equal(E.right({ _tag: 'Now' }));
  });

  it('reads a revision', () => {
    expect(readAsOf(query('revision=12'))).to.deep.equal(E.right({ _tag: 'AtRevision', revision: 12n }));
    for (const revision of ['', '-1', '1.5', 'x', '1e3', ' 1'])
      expect(paths(readAsOf(queryOf({ revision }))), revision).to.deep.equal(['revision']);
  });

  it('reads an RFC 3339 date-time with Z or an offset', () => {
    expect(at('2026-02-28T23:59:59Z')).to.deep.equal(instant('2026-02-28T23:59:59.000Z'));
    expect(at('2026-01-01t00:00:00.1z')).to.deep.equal(instant('2026-01-01T00:00:00.100Z'));
    expect(at('2026-01-01T00:00:00.123999+02:00')).to.deep.equal(instant('2025-12-31T22:00:00.123Z'));
    expect(at('2026-01-01T00:00:00-05:30')).to.deep.equal(instant('2026-01-01T05:30:00.000Z'));
    expect(at('0001-01-01T00:00:00Z')).to.deep.equal(instant('0001-01-01T00:00:00.000Z'));
    expect(at('2016-12-31T23:59:60Z')).to.deep.equal(instant('2017-01-01T00:00:00.000Z'));
    expect(at('2017-01-01T08:59:60.5+09:00')).to.deep.equal(instant('2017-01-01T00:00:00.000Z'));
  });

  it('takes a space for a raw +', () => {
    expect(readAsOf(query('at=2026-01-01T02:00:00+02:00'))).to.deep.equal(instant('2026-01-01T00:00:00.000Z'));
  });

  it('refuses what is no such date-time', () => {
    for (const text of [
      '',
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-01-01 00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:60:00Z',
      '2026-01-01T00:00:60Z',
      '2026-01-01T00:00:61Z',
      '2026-01-01T00:00:00+24:00',
      '2026-01-01T00:00:00+0200',
      '+002026-01-01T00:00:00Z',
      '2026-01-01T00:00:00.Z',
      '1767225600',
    ])
      expect(paths(at(text)), text).to.deep.equal(['at']);
  });

  it('refuses both at once, and repetitions', () => {
    expect(paths(readAsOf(query('revision=1&at=2026-01-01T00:00:00Z')))).to.deep.equal(['revision', 'at']);
    expect(paths(readAsOf(query('revision=1&revision=1')))).to.deep.equal(['revision']);
  });
});

describe('the owner that a request is about', () => {
  const about = (path: string | undefined, text: string, body: unknown) =>
    readOwnerId({ path, query: query(text), body });

  it('is named by path, query or body', () => {
    expect(about('u/1', '', undefined)).to.deep.equal(E.right('u/1'));
    expect(about(undefined, 'ownerId=u', 'foreign')).to.deep.equal(E.right('u'));
    expect(about(undefined, '', { ownerId: 'u' })).to.deep.equal(E.right('u'));
    expect(about('u', 'ownerId=u&ownerId=u', { ownerId: 'u' })).to.deep.equal(E.right('u'));
  });

  it('must be named, and by one name', () => {
    for (const [path, text, body] of [
      [undefined, '', {}],
      [undefined, 'ownerId=', { ownerId: null }],
      [undefined, '', { user: 'u' }],
      ['u', 'ownerId=v', {}],
      [undefined, 'ownerId=u&ownerId=v', {}],
      [undefined, 'ownerId=u', { ownerId: 'v' }],
      [undefined, 'ownerId=u', { ownerId: 7 }],
    ] as const)
      expect(paths(about(path, text, body)), JSON.stringify([path, text, body])).to.deep.equal(['ownerId']);
  });
});

describe('the body of an owner', () => {
  it('needs a user, and fills in what is unset', () => {
    expect(readNewOwner({ user: 'u', ownerId: 'x' })).to.deep.equal(E.right({ user: 'u', title: null, equity: null }));
    expect(readNewOwner({ user: 'u', title: '', equity: 12.5 })).to.deep.equal(
      E.right({ user: 'u', title: null, equity: 12.5 }),
    );
    for (const user of [undefined, null, '', ' ', 7]) expect(paths(readNewOwner({ user }))).to.deep.equal(['user']);
    expect(paths(readNewOwner({ ownerId: 'u' }))).to.deep.equal(['user']);
  });

  it('refuses a share below 0 or that is no number', () => {
    for (const equity of [-1, '5', '', Infinity, NaN])
      expect(paths(readNewOwner({ user: 'u', equity }))).to.deep.equal(['equity']);
    expect(readNewOwner({ user: 'u', equity: 0 })).to.deep.equal(E.right({ user: 'u', title: null, equity: 0 }));
  });

  it('changes title and share, but never the user', () => {
    expect(readOwnerChanges({ user: 'u', ownerId: 'u', title: null }, 'u')).to.deep.equal(E.right({ title: null }));
    expect(readOwnerChanges({}, 'u')).to.deep.equal(E.right({}));
    for (const user of ['v', null, '']) expect(paths(readOwnerChanges({ user }, 'u'))).to.deep.equal(['user']);
  });
});
