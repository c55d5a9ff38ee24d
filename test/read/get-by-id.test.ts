import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import type { DocumentState } from '../../src/domain/document/state.js';
import type { AsOf, StateThen } from '../../src/read/history.js';
import { makeGetFile } from '../../src/read/get-file.js';
import { makeGetView } from '../../src/read/get-view.js';
import type { FileVersion, ReadModelUnavailable, RowParked, View } from '../../src/read/queries.js';
import type { RowsFreshness } from '../../src/read/row-or-fold.js';
import type { LoadFailure } from '../../src/event-sourcing/for-each-event.js';
import { StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { aStoredFile } from '../support/document-events.js';
import { makeManualClock } from '../support/manual-clock.js';

const now: AsOf = { _tag: 'Now' };
const earlier: AsOf = { _tag: 'AtRevision', revision: 3n };
const away: ReadModelUnavailable = { _tag: 'ReadModelUnavailable', cause: new Error('down') };
const row: View = { id: 'b1', revision: 7n, body: Buffer.from('row') };
const showed = (): void => undefined;
const times = { position: 90n, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-02T00:00:00.000Z' };

const folded: View = {
  id: 'b1',
  revision: 8n,
  body: Buffer.from(`{"folded":"b1","createdAt":"${times.createdAt}","updatedAt":"${times.updatedAt}","revision":8}`),
};

const unreadable: E.Either<LoadFailure, never> = E.left({
  _tag: 'UndecodableEvent',
  stored: { id: 'e1', stream: 'business-b1', revision: 1n, position: 2n, type: 'X', data: '{}', metadata: '{}' },
  reason: 'newer',
});

const get = (
  over: {
    readonly byId?: E.Either<ReadModelUnavailable | RowParked<View>, O.Option<View>>;
    readonly then?: E.Either<LoadFailure, O.Option<StateThen<string>>>;
    readonly isBehind?: boolean;
  },
  asOf: AsOf = now,
) => {
  const {
    byId = E.right(O.some(row)),
    then = E.right(O.some({ state: 'folded', revision: 8n, ...times })),
    isBehind,
  } = over;
  return makeGetView<string>({
    clock: makeManualClock(),
    queries: { byId: () => Promise.resolve(byId) },
    history: { stateAsOf: () => Promise.resolve(then) },
    freshness: { asked: () => Promise.resolve(isBehind === true ? 'Behind' : 'Fresh'), showed },
    render: (id, state) => (state === 'deleted' ? O.none : O.some(`{"${state}":"${id}"}`)),
  })('b1', asOf, () => Promise.resolve(true));
};

describe('a record by its id', () => {
  it('is its row', async () => {
    expect(await get({})).to.deep.equal(E.right(O.some(row)));
  });

  it('is not there when it has no row', async () => {
    expect(await get({ byId: E.right(O.none) })).to.deep.equal(E.right(O.none));
  });

  it('is folded from its stream when its row may be behind, or for an earlier state', async () => {
    expect(await get({ isBehind: true })).to.deep.equal(E.right(O.some(folded)));
    expect(await get({}, earlier)).to.deep.equal(E.right(O.some(folded)));
  });

  it('notes how far it was folded, also as it is not shown any more or was earlier, and nothing of its row', async () => {
    for (const [state, asOf, rows, expected] of [
      ['folded', now, 'Behind', [['b1', 90n]]],
      ['deleted', now, 'Behind', [['b1', 90n]]],
      ['folded', earlier, 'Fresh', [['b1', 90n]]],
      ['folded', now, 'Fresh', []],
    ] as const) {
      const noted: Array<readonly [string, bigint]> = [];
      const ofRecords: Array<string> = [];
      await makeGetView<string>({
        clock: makeManualClock(),
        queries: { byId: () => Promise.resolve(E.right(O.some(row))) },
        history: { stateAsOf: () => Promise.resolve(E.right(O.some({ state, revision: 8n, ...times }))) },
        freshness: {
          asked: (id) => Promise.resolve((ofRecords.push(id), rows)),
          showed: (...shown) => void noted.push(shown),
        },
        render: (id, shown) => (shown === 'deleted' ? O.none : O.some(`{"${shown}":"${id}"}`)),
      })('b1', asOf, () => Promise.resolve(true));
      expect([noted, ofRecords]).to.deep.equal([expected, asOf === now ? ['b1'] : []]);
    }
  });

  it('is read together with what was noted of its rows exactly when nobody knows whether they are behind', async () => {
    const asked: Array<unknown> = [];
    const read = async (rows: RowsFreshness): Promise<void> => {
      await makeGetView<string>({
        clock: makeManualClock(),
        queries: { byId: (_id, asNoted) => Promise.resolve(E.right((asked.push([rows, asNoted]), O.some(row)))) },
        history: { stateAsOf: () => Promise.resolve(E.right(O.none)) },
        freshness: { asked: () => Promise.resolve(rows), showed },
        render: () => O.none,
      })('b1', now, () => Promise.resolve(true));
    };
    for (const rows of ['Fresh', 'Unsure', 'Behind'] as const) await read(rows);
    expect(asked).to.deep.equal([
      ['Fresh', false],
      ['Unsure', true],
    ]);
  });

  it('is folded from its stream when the read model is away', async () => {
    expect(await get({ byId: E.left(away) })).to.deep.equal(E.right(O.some(folded)));
  });

  it('is not there where its stream ends in a state that is not shown, or is empty', async () => {
    const then = E.right(O.some({ state: 'deleted', revision: 8n, ...times }));
    expect(await get({ isBehind: true, then })).to.deep.equal(E.right(O.none));
    expect(await get({ isBehind: true, then: E.right(O.none) })).to.deep.equal(E.right(O.none));
  });

  it('is the row that stays when it is parked and an event of its stream cannot be read', async () => {
    const byId = E.left({ _tag: 'RowParked' as const, row: O.some(row) });
    expect(await get({ byId })).to.deep.equal(E.right(O.some(folded)));
    for (const isBehind of [false, true])
      expect(await get({ byId, then: unreadable, isBehind })).to.deep.equal(E.right(O.some(row)));
  });

  it('is a failure when an event of its stream cannot be read, and no row is parked there', async () => {
    expect(await get({ then: unreadable, isBehind: true })).to.deep.equal(unreadable);
    expect(await get({ byId: E.left(away), then: unreadable })).to.deep.equal(unreadable);
    const parked = E.left({ _tag: 'RowParked' as const, row: O.some(row) });
    expect(await get({ byId: parked, then: unreadable }, earlier)).to.deep.equal(unreadable);
  });

  it('is a failure when the stream cannot be read either', async () => {
    const failure = new StoreUnavailable('down too');
    expect(await get({ byId: E.left(away), then: E.left(failure) })).to.deep.equal(E.left(failure));
  });
});

describe('the file of a document', () => {
  const file = aStoredFile();
  const old = aStoredFile();
  const current = (stored: typeof file | null): Extract<DocumentState, { readonly _tag: 'Current' }> => ({
    _tag: 'Current',
    fields: { name: 'x', description: null, tags: [], type: 'Offer', entityType: 'Offer', entity: null },
    createdType: 'Offer',
    file: stored,
    uploaded: null,
    generated: null,
  });

  const getFile = (
    fileOf: E.Either<ReadModelUnavailable, O.Option<FileVersion>>,
    then: O.Option<StateThen<DocumentState>>,
    asOf: AsOf = now,
    isBehind = false,
  ) =>
    makeGetFile({
      clock: makeManualClock(),
      queries: { fileOf: () => Promise.resolve(fileOf) },
      history: { stateAsOf: () => Promise.resolve(E.right(then)) },
      freshness: { asked: () => Promise.resolve(isBehind ? 'Behind' : 'Fresh'), showed },
    })('d1', asOf, () => Promise.resolve(true));

  const inRow = E.right(O.some({ file, revision: 4n }));
  const inStream = O.some({ state: current(old), revision: 3n, ...times });
  const fromStream = E.right(O.some({ file: old, revision: 3n }));

  it('is that of its row', async () => {
    expect(await getFile(inRow, inStream)).to.deep.equal(inRow);
  });

  it('is that of its stream for an earlier version, a row that is behind, or a read model that is away', async () => {
    expect(await getFile(inRow, inStream, earlier)).to.deep.equal(fromStream);
    expect(await getFile(inRow, inStream, now, true)).to.deep.equal(fromStream);
    expect(await getFile(E.left(away), inStream)).to.deep.equal(fromStream);
  });

  it('is null while there is none, and nothing for no such document', async () => {
    const without = O.some({ state: current(null), revision: 0n, ...times });
    expect(await getFile(inRow, without, earlier)).to.deep.equal(E.right(O.some({ file: null, revision: 0n })));
    expect(await getFile(inRow, O.none, earlier)).to.deep.equal(E.right(O.none));
  });

  it('is nothing where the document is deleted, by its row and by its stream', async () => {
    const deleted: DocumentState = { ...current(old), _tag: 'Deleted' };
    const inDeleted = O.some({ state: deleted, revision: 5n, ...times });
    expect(await getFile(E.right(O.none), inDeleted)).to.deep.equal(E.right(O.none));
    expect(await getFile(inRow, inDeleted, now, true)).to.deep.equal(E.right(O.none));
    expect(await getFile(E.left(away), inDeleted)).to.deep.equal(E.right(O.none));
  });
});
