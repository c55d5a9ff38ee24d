import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { unsetFields } from '../../../src/domain/business/state.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { ExpectedRevision } from '../../../src/event-sourcing/recorded-event.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { givenStream } from '../../support/given-stream.js';
import { businessUseCases, factsIn, from } from '../../support/use-cases.js';
import { sometime } from '../../support/given.js';

const created = { type: 'BusinessCreated', data: { name: 'Acme' } };
const bobAdded = { type: 'BusinessOwnerAdded', data: { user: 'bob', title: null, equity: 1 } };
const fields = { ...unsetFields, name: 'Acme' };
const bob = { user: 'bob', title: null, equity: 1 };

/** `since`: of each owner the revision that added him. */
const active = (
  over: object = {},
  owners: ReadonlyArray<object> = [bob],
  since: ReadonlyArray<number> = owners.map((_, at) => at + 1),
) => ({
  _tag: 'Active',
  fields: { ...fields, ...over },
  owners,
  since,
});

const replayed = E.map((outcome: object) => ({ ...outcome, replayed: true }));

describe('the use cases of businesses', () => {
  let store: EventStore;
  let businesses: ReturnType<typeof businessUseCases>;

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    businesses = businessUseCases(store);
    await givenStream(store, 'business-b1', [created], [bobAdded]);
  });

  const put = from('PUT /business/b1');
  const newFacts = async () => (await factsIn(store, 'business-b1')).slice(2);
  const outcome = (before: object, after: object, revision: ExpectedRevision) =>
    E.right({
      before,
      after,
      revision,
      createdAt: sometime.at,
      updatedAt: sometime.at,
      projected: true,
      replayed: false,
    });

  it('create a business under a new id, with one event', async () => {
    const result = await businesses.create(from('POST /business'), { name: 'Acme', phone: null });
    if (E.isLeft(result)) throw new Error(result.left._tag);
    const { businessId, ...rest } = result.right;
    expect(E.right(rest)).to.deep.equal(outcome({ _tag: 'NotCreated' }, active({}, []), 0n));
    expect(await factsIn(store, `business-${businessId}`)).to.deep.equal([created]);
  });

  it('update one, with one event', async () => {
    expect(await businesses.update(put, 'b1', { phone: '1', city: null })).to.deep.equal(
      outcome(active(), active({ phone: '1' }), 2n),
    );
    expect(await newFacts()).to.deep.equal([{ type: 'BusinessUpdated', data: { changes: { phone: '1' } } }]);
  });

  it('delete one, with one event', async () => {
    expect(await businesses.delete(from('DELETE /business/b1'), 'b1')).to.deep.equal(
      outcome(active(), { ...active(), _tag: 'Deleted' }, 2n),
    );
    expect(await newFacts()).to.deep.equal([{ type: 'BusinessDeleted', data: {} }]);
  });

  it('add an owner, with one event', async () => {
    const carol = { user: 'carol', title: 'CTO', equity: null };
    expect(await businesses.addOwner(from('POST /business/b1/owner'), 'b1', carol)).to.deep.equal(
      outcome(active(), active({}, [bob, carol]), 2n),
    );
    expect(await newFacts()).to.deep.equal([{ type: 'BusinessOwnerAdded', data: carol }]);
  });

  it('update an owner, with one event', async () => {
    expect(await businesses.updateOwner(put, 'b1', 'bob', { title: 'CEO' })).to.deep.equal(
      outcome(active(), active({}, [{ ...bob, title: 'CEO' }]), 2n),
    );
    expect(await newFacts()).to.deep.equal([{ type: 'BusinessOwnerUpdated', data: { user: 'bob', title: 'CEO' } }]);
  });

  it('remove an owner, with one event', async () => {
    expect(await businesses.removeOwner(put, 'b1', 'bob')).to.deep.equal(outcome(active(), active({}, []), 2n));
    expect(await newFacts()).to.deep.equal([{ type: 'BusinessOwnerRemoved', data: { user: 'bob' } }]);
  });

  it('append nothing, and keep the revision, when nothing changes', async () => {
    expect(await businesses.update(put, 'b1', { name: 'Acme' })).to.deep.equal(outcome(active(), active(), 1n));
    expect(await businesses.updateOwner(put, 'b1', 'bob', { equity: 1 })).to.deep.equal(
      outcome(active(), active(), 1n),
    );
    expect(await newFacts()).to.deep.equal([]);
  });

  it('refuse what is not there, and append nothing', async () => {
    const notThere = E.left({ _tag: 'BusinessNotFound' });
    expect(await businesses.update(put, 'b2', { phone: '1' })).to.deep.equal(notThere);
    expect(await businesses.delete(put, 'b2')).to.deep.equal(notThere);
    expect(await businesses.addOwner(put, 'b2', bob)).to.deep.equal(notThere);
    expect(await businesses.updateOwner(put, 'b2', 'bob', {})).to.deep.equal(notThere);
    expect(await businesses.removeOwner(put, 'b2', 'bob')).to.deep.equal(notThere);
    expect(await factsIn(store, 'business-b2')).to.deep.equal([]);
  });

  it('refuse what the rules refuse, and append nothing', async () => {
    expect(await businesses.update(put, 'b1', { parent: 'b1' })).to.deep.equal(
      E.left({ _tag: 'BusinessIsItsOwnParent' }),
    );
    expect(await businesses.addOwner(put, 'b1', bob)).to.deep.equal(E.left({ _tag: 'OwnerAlreadyAdded' }));
    expect(await businesses.removeOwner(put, 'b1', 'carol')).to.deep.equal(E.left({ _tag: 'OwnerNotFound' }));
    expect(await newFacts()).to.deep.equal([]);
  });

  describe('under an idempotency key', () => {
    it('create one business for any number of requests, also at once', async () => {
      const origin = from('POST /business', { idempotencyKey: 'k' });
      const results = await Promise.all(Array.from({ length: 10 }, () => businesses.create(origin, { name: 'Acme' })));
      const [first, ...repeats] = results;
      expect(repeats).to.deep.equal(Array(9).fill(replayed(first!)));
      expect(E.isRight(results[0]!) && (await factsIn(store, `business-${results[0].right.businessId}`))).to.deep.equal(
        [created],
      );
    });

    it('answer the original result, whatever has happened since', async () => {
      const origin = { ...put, idempotencyKey: 'k' };
      const original = await businesses.update(origin, 'b1', { phone: '1' });
      await businesses.update(put, 'b1', { phone: '2' });
      await businesses.delete(put, 'b1');
      expect(await businesses.update(origin, 'b1', { phone: '1' })).to.deep.equal(replayed(original));
      expect(original).to.deep.equal(outcome(active(), active({ phone: '1' }), 2n));
      expect(await newFacts()).to.have.length(3);
    });

    it('refuse another request', async () => {
      const origin = { ...put, idempotencyKey: 'k' };
      await businesses.update(origin, 'b1', { phone: '1' });
      expect(await businesses.update(origin, 'b1', { phone: '2' })).to.deep.equal(
        E.left({ _tag: 'IdempotencyKeyReused' }),
      );
      const create = from('POST /business', { idempotencyKey: 'k' });
      await businesses.create(create, { name: 'Acme' });
      expect(await businesses.create(create, { name: 'Other' })).to.deep.equal(
        E.left({ _tag: 'IdempotencyKeyReused' }),
      );
    });

    it('know a key after a thousand others on the same business', async () => {
      const original = await businesses.update({ ...put, idempotencyKey: 'first' }, 'b1', { phone: 'first' });
      for (let key = 0; key < 1100; key++)
        await businesses.update({ ...put, idempotencyKey: `k${key}` }, 'b1', { phone: String(key) });
      expect(await businesses.update({ ...put, idempotencyKey: 'first' }, 'b1', { phone: 'first' })).to.deep.equal(
        replayed(original),
      );
      expect(await newFacts()).to.have.length(1101);
    });

    it('take the same key as another one from another actor and on another path', async () => {
      const one = from('POST /business', { idempotencyKey: 'k' });
      const results = await Promise.all(
        [one, { ...one, actor: 'bob' }].map((origin) => businesses.create(origin, { name: 'Acme' })),
      );
      const ids = results.map((result) => E.isRight(result) && result.right.businessId);
      expect(new Set(ids).size).to.equal(2);
    });

    it('answer a repeat although its precondition no longer holds', async () => {
      const origin = { ...put, idempotencyKey: 'k', precondition: (current: ExpectedRevision) => current === 1n };
      const original = await businesses.update(origin, 'b1', { phone: '1' });
      expect(await businesses.update(origin, 'b1', { phone: '1' })).to.deep.equal(replayed(original));
    });
  });

  describe('under a precondition', () => {
    const at = (revision: bigint) => ({ ...put, precondition: (current: ExpectedRevision) => current === revision });

    it('run at the revision it names', async () => {
      expect(await businesses.update(at(1n), 'b1', { phone: '1' })).to.deep.equal(
        outcome(active(), active({ phone: '1' }), 2n),
      );
    });

    it('refuse at any other one, naming the present one, also what would change nothing', async () => {
      const stale = E.left({ _tag: 'PreconditionFailed', current: 1n });
      expect(await businesses.update(at(0n), 'b1', { phone: '1' })).to.deep.equal(stale);
      expect(await businesses.update(at(0n), 'b1', {})).to.deep.equal(stale);
      expect(await businesses.delete(at(2n), 'b1')).to.deep.equal(stale);
      expect(await newFacts()).to.deep.equal([]);
    });

    it('are checked before the rules and after existence', async () => {
      expect(await businesses.addOwner(at(0n), 'b1', bob)).to.deep.equal(
        E.left({ _tag: 'PreconditionFailed', current: 1n }),
      );
      expect(await businesses.addOwner(at(0n), 'b2', bob)).to.deep.equal(E.left({ _tag: 'BusinessNotFound' }));
    });

    it('let one of many writers through', async () => {
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, phone) => businesses.update(at(1n), 'b1', { phone: String(phone) })),
      );
      expect(results.filter(E.isRight)).to.have.length(1);
      expect(results.filter(E.isLeft)).to.deep.equal(
        Array(9).fill(E.left({ _tag: 'PreconditionFailed', current: 2n })),
      );
    });
  });

  it('refuse and skip nothing for what another process has changed since', async () => {
    const elsewhere = businessUseCases(store);
    await businesses.update(put, 'b1', { phone: '1' });
    await elsewhere.removeOwner(put, 'b1', 'bob');
    expect(await businesses.addOwner(put, 'b1', bob)).to.deep.equal(
      outcome(active({ phone: '1' }, []), active({ phone: '1' }, [bob], [4]), 4n),
    );
    await elsewhere.update(put, 'b1', { phone: '2' });
    expect(await businesses.update(put, 'b1', { phone: '1' })).to.deep.equal(
      outcome(active({ phone: '2' }, [bob], [4]), active({ phone: '1' }, [bob], [4]), 6n),
    );
  });

  it('lose no write of many writers without a precondition, in this process and in others', async () => {
    const replicas = [businesses, businessUseCases(store), businessUseCases(store)];
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        replicas[index % 3]!.addOwner(put, 'b1', { user: `u${index}`, title: null, equity: null }),
      ),
    );
    expect(results.filter(E.isLeft)).to.deep.equal([]);
    expect(new Set((await newFacts()).map(({ data }) => (data as { user: string }).user)).size).to.equal(30);
  });
});
