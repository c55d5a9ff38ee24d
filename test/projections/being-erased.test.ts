import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { businesses } from '../../projections/businesses.js';
import { dropBehind } from '../../projections/engine/generation/drop-behind.js';
import { findDrift } from '../../projections/engine/verify/find-drift.js';
import { recordErased } from '../../src/application/erasure/record-erased.js';
import { encryptedStore } from '../../src/event-sourcing/encryption/encrypted-store.js';
import { erasedPlaces } from '../../src/event-sourcing/erasure/erased-places.js';
import { orThrow } from '../../src/event-sourcing/attempt.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { aBusinessCreated } from '../support/business-events.js';
import { makeEncryption } from '../support/encrypted.js';
import { givenStream } from '../support/given-stream.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { startMemoryEngine } from '../support/memory-engine.js';

const ID = '0198f000-0000-7000-8000-000000000000';
const STREAM = `business-${ID}` as const;
const RECORD = { stream: STREAM, events: 'all' } as const;

describe('the row of a record that is being erased', () => {
  it('is no drift until it is recorded, and is one where nothing was erased', async () => {
    const encryption = makeEncryption();
    const store = encryptedStore(makeInMemoryEventStore(), encryption);
    await givenStream(store, STREAM, [aBusinessCreated()]);
    const engine = startMemoryEngine(systemRuntime, { store });
    const rows = async () => {
      const [live] = await engine.storage.generations(businesses.name);
      return engine.storage.storedRows(businesses, live ?? { name: '' });
    };
    const driftOf = async (name = '') => {
      const read = await rows();
      const snapshots: typeof read.snapshots = async (ids) =>
        (await read.snapshots(ids))?.map((snapshot) => ({
          ...snapshot,
          row: snapshot.row && (name === '' ? snapshot.row : { ...snapshot.row, words: name }),
        }));
      return (await findDrift({ rows: { ...read, snapshots }, store, projection: businesses }, ID))?.kind;
    };
    const reach = async () => {
      const head = orThrow(await store.head(['business']));
      expect(await engine.projections.byName(businesses.name).progress.waitFor(head ?? 0n)).to.equal(true);
    };
    try {
      await reach();
      expect(await driftOf()).to.equal(undefined);
      expect(await driftOf('other')).to.equal('differs');
      encryption.tree = encryption.tree.without(erasedPlaces(STREAM, 'all'));
      expect(await driftOf()).to.equal(undefined);
      const said = { basis: 'a ticket', actor: 'dpo', eventKey: undefined };
      expect(await recordErased(systemRuntime, store, RECORD, said)).to.deep.equal(E.right(true));
      await reach();
      expect(await driftOf()).to.equal(undefined);
      expect(await driftOf('other')).to.equal('differs');
    } finally {
      await engine.stop();
    }
  });

  it('is no drift where it was written without keys that the process which compares still remembers', async () => {
    const encryption = makeEncryption();
    const [log, remembered] = [makeInMemoryEventStore(), makeEncryption()];
    const store = encryptedStore(log, encryption);
    await givenStream(store, STREAM, [aBusinessCreated()]);
    remembered.tree = encryption.tree;
    encryption.tree = encryption.tree.without(erasedPlaces(STREAM, 'all'));
    const refresh = () => {
      remembered.tree = encryption.tree;
      return Promise.resolve();
    };
    const engine = startMemoryEngine(systemRuntime, { store });
    try {
      const head = orThrow(await store.head(['business']));
      expect(await engine.projections.byName(businesses.name).progress.waitFor(head ?? 0n)).to.equal(true);
      const [live] = await engine.storage.generations(businesses.name);
      const rows = engine.storage.storedRows(businesses, live ?? { name: '' });
      const driftOf = async (keys: typeof remembered & { readonly refresh?: typeof refresh }) =>
        (await findDrift({ rows, store: encryptedStore(log, keys), projection: businesses }, ID))?.kind;
      expect(await driftOf(remembered)).to.equal('differs');
      expect(await driftOf({ ...remembered, keys: () => remembered.tree, refresh })).to.equal(undefined);
    } finally {
      await engine.stop();
    }
  });

  it('is dropped with the rows of its read model that nobody writes, where these have not come to what says so', async () => {
    const store = makeInMemoryEventStore();
    await givenStream(store, STREAM, [aBusinessCreated()]);
    const engine = startMemoryEngine(systemRuntime, { store });
    const { storage } = engine;
    const create = { role: 'building', logIdentity: '', isRebuild: true, skips: 0 } as const;
    const begin = async (holder: string): Promise<string> => {
      const changed = await storage.change(businesses, () => ({ create: { ...create, holder } }));
      return changed?.created?.name ?? '';
    };
    const names = async () => (await storage.generations(businesses.name)).map(({ name }) => name);
    try {
      const head = orThrow(await store.head(['business']));
      expect(await engine.projections.byName(businesses.name).progress.waitFor(head ?? 0n)).to.equal(true);
      const [live = ''] = await names();
      const [left, written] = [await begin('one that was killed'), await begin('one that runs')];
      const lease = await storage.acquire(left, 'one that was killed', false);
      if (lease !== undefined) await storage.release(lease);
      expect(await dropBehind(storage, businesses, -1n)).to.deep.equal([]);
      expect(await names()).to.have.members([live, left, written]);
      expect(await dropBehind(storage, businesses, 0n)).to.deep.equal([written]);
      expect(await names()).to.have.members([live, written]);
    } finally {
      await engine.stop();
    }
  });
});
