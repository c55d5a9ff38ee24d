import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import fc from 'fast-check';
import { either as E } from 'fp-ts';
import type { Pool } from 'pg';
import { businesses } from '../../projections/businesses.js';
import { failureIn } from '../../projections/engine/engine-failure.js';
import type { Generation } from '../../projections/engine/generation/generation.js';
import { tableOf } from '../../projections/engine/postgres/schema/table.js';
import { openForService } from '../../projections/engine/generation/open-generation.js';
import { makeApplyBatch } from '../../projections/engine/rows/apply-batch.js';
import { catchUp } from '../../projections/engine/rows/catch-up.js';
import type { EntityRows, ReadModelStorage, Writer } from '../../projections/engine/storage.js';
import type { Checkpoint, StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { makePool } from '../../src/postgres/pool.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { stored } from '../support/recorded.js';
import { created, renamed } from './appending.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { storageIn } from '../support/read-model-storage.js';

/** What an event is to the projection: one it folds, one that no row can hold, or one that it cannot read. */
type Kind = 'good' | 'unstorable' | 'unreadable';

/** An event of one of a few businesses; `next`: when the following one comes, if not in the same batch. */
type Planned = { readonly business: number; readonly kind: Kind; readonly next: 'together' | 'at once' | 'later' };

const UNSTORABLE = '\0';

const BUSINESSES = 4;
/** More than writing a batch takes, most of the time. */
const ROUND_TRIPS = 8;

const log = fc.array(
  fc.record({
    business: fc.nat(BUSINESSES - 1),
    kind: fc.oneof(
      { weight: 12, arbitrary: fc.constant<Kind>('good') },
      { weight: 1, arbitrary: fc.constantFrom<Kind>('unstorable', 'unreadable') },
    ),
    next: fc.constantFrom<Planned['next']>('together', 'at once', 'later'),
  }),
  { minLength: 1, maxLength: 40 },
);

type Row = { readonly id: string; readonly name: string | null; readonly revision: string; readonly parked: boolean };
type Waiting = { readonly stream: string; readonly revision: string; readonly waiting: string };

const endOf = (events: ReadonlyArray<StoredEvent>): Checkpoint => {
  const commit = events.at(-1)?.position ?? 0n;
  return { commit, prepare: commit };
};

describe('catching up, with one batch folded while the one before it is written', function () {
  this.timeout(startingPostgres + 60_000);
  let pool: Pool;
  let storage: ReadModelStorage;
  let writer: Writer;
  let generation: Generation;
  let position = 0n;

  before(async () => {
    pool = makePool({ connectionString: await freshDatabase(), name: 'test', connections: 8, connectMs: 5_000 });
    storage = storageIn(pool);
    await storage.migrate();
    generation = await openForService(storage, businesses, 'a-log');
    const lease = await storage.acquire(generation.name, 'test', false);
    if (lease === undefined) throw new Error('the lease is not free');
    writer = { projection: businesses, generation, lease, notifies: false };
  });

  after(() => pool.end());

  const generationNow = async (): Promise<Generation | undefined> =>
    (await storage.generations('businesses')).find(({ name }) => name === generation.name);

  /** The storage, with another way to read rows. */
  const reading = (read: (given: EntityRows['read']) => EntityRows['read']): ReadModelStorage => ({
    ...storage,
    entityRows: (of) => {
      const rows = storage.entityRows(of);
      return { ...rows, read: read(rows.read) };
    },
  });

  const eventsOf = (planned: ReadonlyArray<Planned>, ids: ReadonlyArray<string>): ReadonlyArray<StoredEvent> => {
    const revisions = ids.map(() => -1n);
    return planned.map(({ business, kind }) => {
      const revision = (revisions[business] ?? 0n) + 1n;
      revisions[business] = revision;
      const name = kind === 'unstorable' ? UNSTORABLE : `name ${revision}`;
      const fact = revision === 0n ? created(name) : renamed(name);
      const recording = { stream: `business-${ids[business] ?? ''}`, revision } as const;
      const schemaVersion = kind === 'unreadable' ? 99 : 1;
      return { ...stored(fact, { ...recording, schemaVersion }), position: (position += 1n) };
    });
  };

  const batchesOf = <A>(planned: ReadonlyArray<Planned>, events: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
    const ends = planned.flatMap(({ next }, index) => (next === 'together' ? [] : [index + 1]));
    return [0, ...ends].map((begin, number) => events.slice(begin, ends[number])).filter(({ length }) => length > 0);
  };

  /** The same as a log: each batch with its checkpoint; what comes later, when `written` says that the batch before it is. */
  const logOf = async function* (
    planned: ReadonlyArray<Planned>,
    events: ReadonlyArray<StoredEvent>,
    written: () => Promise<unknown> = () => Promise.resolve(),
  ) {
    let count = 0;
    for (const own of batchesOf(planned, events)) {
      if (planned[count - 1]?.next === 'later') await written();
      count += own.length;
      yield { events: own, checkpoint: endOf(own) };
    }
  };

  /**
   * What the rows are when every business is folded by itself: up to the first event that cannot be read, and up to the
   * last batch after which the row can be stored.
   */
  const expected = (planned: ReadonlyArray<Planned>, ids: ReadonlyArray<string>) => {
    const rows: Array<Row> = [];
    const parked: Array<Waiting> = [];
    for (const [business, id] of ids.entries()) {
      let [seen, bad, name]: [number, number | undefined, string | null] = [0, undefined, null];
      for (const batch of batchesOf(planned, planned)) {
        const own = batch.filter((event) => event.business === business);
        const unreadable = own.findIndex(({ kind }) => kind === 'unreadable');
        const good = unreadable < 0 ? own : own.slice(0, unreadable);
        if (bad === undefined && good.at(-1)?.kind === 'unstorable') bad = seen;
        else if (bad === undefined) {
          if (good.length > 0) name = `name ${seen + good.length - 1}`;
          if (unreadable >= 0) bad = seen + unreadable;
        }
        seen += own.length;
      }
      if (seen === 0) continue;
      rows.push({ id, name, revision: String((bad ?? seen) - 1), parked: bad !== undefined });
      const waiting = String(seen - (bad ?? 0));
      if (bad !== undefined) parked.push({ stream: `business-${id}`, revision: String(bad), waiting });
    }
    return { rows, parked };
  };

  const found = async (ids: ReadonlyArray<string>) => {
    const rows = `select id, name, revision, parked from ${tableOf(generation)} where id = any($1::uuid[])`;
    const parked = 'select stream, revision, waiting from read_model.parked where stream = any($1)';
    const streams = ids.map((id) => `business-${id}`);
    return {
      rows: (await pool.query<Row>(rows, [ids])).rows,
      parked: (await pool.query<Waiting>(parked, [streams])).rows,
    };
  };

  it('makes the rows, and parks the events, that each business makes by itself', () =>
    fc.assert(
      fc.asyncProperty(log, fc.constantFrom(1, 2, 1_000), fc.boolean(), async (planned, cached, isSlow) => {
        const ids = Array.from({ length: BUSINESSES }, () => randomUUID());
        const events = eventsOf(planned, ids);
        const slow = reading((read) => async (wanted) => {
          for (let trip = 0; isSlow && trip < ROUND_TRIPS; trip += 1) await pool.query('select');
          return read(wanted);
        });
        const from = (await generationNow())?.checkpoint ?? 'start';
        const size = { entities: cached, bytes: 1_000_000 };
        const apply = makeApplyBatch(slow, writer, { onEvent: () => undefined, size });
        let [given, written] = [0, 0];
        const emitter = new EventEmitter();
        const readAll = async function* () {
          const allWritten = () => (written === given ? Promise.resolve() : once(emitter, String(given)));
          for await (const batch of logOf(planned, events, allWritten)) {
            given += batch.events.length;
            yield batch;
          }
        };
        const onBatch = (many: number): void => {
          written = many;
          emitter.emit(String(many));
        };
        const { checkpoint, events: count } = await catchUp(writer, { readAll }, apply, from, {
          clock: systemRuntime.clock,
          signal: new AbortController().signal,
          onBatch,
        });
        const head = { commit: position, prepare: position };
        const [is, should] = [await found(ids), expected(planned, ids)];
        expect(is.rows).to.have.deep.members(should.rows);
        expect(is.parked).to.have.deep.members(should.parked);
        expect([checkpoint, count]).to.deep.equal([head, events.length]);
        expect((await generationNow())?.checkpoint).to.deep.equal(checkpoint);
      }),
      { numRuns: 120 },
    ));

  it('keeps what it knows of a business that the cache forgets while the rows of others are read', async () => {
    const planned = [2, 0, 1, 1, 3, 2, 0].map((business): Planned => ({ business, kind: 'good', next: 'together' }));
    const ids = Array.from({ length: BUSINESSES }, () => randomUUID());
    const events = eventsOf(planned, ids);
    const emitter = new EventEmitter();
    const isReading = once(emitter, 'begun');
    const isWritten = once(emitter, 'written');
    const waiting = reading((read) => async (wanted) => {
      emitter.emit('begun');
      await isWritten;
      return read(wanted);
    });
    const size = { entities: 1, bytes: 1_000_000 };
    const { prepare } = makeApplyBatch(waiting, writer, { onEvent: () => undefined, size });
    let from = (await generationNow())?.checkpoint ?? 'start';
    const write = async ({ events: own, write }: Awaited<ReturnType<typeof prepare>>): Promise<void> => {
      const to = endOf(own);
      await write({ from, to });
      from = to;
    };
    await write(await prepare(events.slice(0, 3)));
    const second = await prepare(events.slice(3, 5));
    const third = prepare(events.slice(5));
    await isReading;
    await write(second);
    emitter.emit('written');
    await write(await third);
    const [is, should] = [await found(ids), expected(planned, ids)];
    expect(is.rows).to.have.deep.members(should.rows);
    expect(is.parked).to.deep.equal([]);
  });

  it('folds the next batch while one is written, and writes nothing after one that fails', async () => {
    const planned: ReadonlyArray<Planned> = [0, 1, 2].map(() => ({ business: 0, kind: 'good', next: 'at once' }));
    const ids = [randomUUID()];
    const events = eventsOf(planned, ids);
    const { checkpoint: from = 'start' } = (await generationNow()) ?? {};
    const steps: Array<string> = [];
    const real = makeApplyBatch(storage, writer, { onEvent: () => undefined });
    const isFolded = [0, 1, 2].map(() => new EventEmitter());
    const nextIsFolded = isFolded.map((emitter) => once(emitter, 'folded'));
    let [folded, written] = [0, 0];
    const apply: typeof real = {
      ...real,
      prepare: async (events) => {
        const batch = await real.prepare(events);
        steps.push(`folded ${folded}`);
        isFolded[folded++]?.emit('folded');
        return {
          events,
          write: async (step) => {
            const number = written++;
            await nextIsFolded[number + 1];
            if (number === 1) throw new Error('the database is gone');
            const role = await batch.write(step);
            steps.push(`written ${number}`);
            return role;
          },
        };
      },
    };
    const options = { clock: systemRuntime.clock, signal: new AbortController().signal };
    const caughtUp = await catchUp(writer, { readAll: () => logOf(planned, events) }, apply, from, options).then(
      E.right,
      E.left,
    );
    expect(E.isLeft(caughtUp) && String(caughtUp.left)).to.equal('Error: the database is gone');
    expect(steps).to.deep.equal(['folded 0', 'folded 1', 'written 0', 'folded 2']);
    expect((await found(ids)).rows).to.deep.equal([{ id: ids[0], name: 'name 0', revision: '0', parked: false }]);
  });

  it('ends where another process has taken the right to write the rows, and says so', async () => {
    const events = eventsOf([{ business: 0, kind: 'good', next: 'together' }], [randomUUID()]);
    const before = await generationNow();
    const { checkpoint: from = 'start' } = before ?? {};
    const taken = { ...writer, lease: { ...writer.lease, fencing: '0' } };
    const apply = makeApplyBatch(storage, taken, { onEvent: () => undefined });
    const batches: Array<number> = [];
    const oneBatch = async function* (own: ReadonlyArray<StoredEvent>) {
      yield await Promise.resolve({ events: own, checkpoint: endOf(own) });
    };
    const catching = catchUp(taken, { readAll: () => oneBatch(events) }, apply, from, {
      clock: systemRuntime.clock,
      signal: new AbortController().signal,
      onBatch: (count) => batches.push(count),
    });
    const error = await catching.catch((thrown: unknown) => thrown);
    expect(failureIn(error, 'LeaseLost')?.message).to.equal(`another process writes ${generation.name}`);
    expect([batches, await generationNow()]).to.deep.equal([[], before]);
  });
});
