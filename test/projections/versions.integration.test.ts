import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { businesses } from '../../projections/businesses.js';
import { type Follower, followLog } from '../../projections/engine/live/follow-log.js';
import type { Notice } from '../../projections/engine/notice.js';
import { makePool } from '../../projections/engine/pool.js';
import { makeProgress } from '../../projections/engine/live/progress.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { eventually } from '../support/eventually.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { append, created, renamed } from './appending.js';

/** The same read model by a program that renders differently and has another key column. */
const changed: typeof businesses = {
  ...businesses,
  shape: 2,
  keys: [
    ...businesses.keys.slice(1),
    {
      name: 'city',
      type: 'text',
      filter: 'city',
      cellOf: (state) => (state._tag === 'Active' ? state.fields.city : null),
    },
  ],
};

describe('versions of a read model', function () {
  this.timeout(startingPostgres);
  let pool: Pool;
  let store: EventStore;
  let stops: Array<() => Promise<void>>;
  let notices: Array<string>;

  beforeEach(async () => {
    pool = makePool(await freshDatabase(), { name: 'test', connections: 12, connectMs: 5_000 });
    store = makeInMemoryEventStore();
    stops = [];
    notices = [];
  });

  afterEach(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await pool.end();
  });

  const run = (projection: typeof businesses, over: { store?: EventStore } = {}) => {
    const stopping = new AbortController();
    const progress = makeProgress();
    const onNotice = ({ _tag }: Notice): void => void notices.push(`${projection.shape} ${_tag}`);
    const deps = { pool, store, projection, progress, notifies: true, isSoleProcess: false, onNotice, ...over };
    const follower: Follower = followLog(deps, stopping.signal);
    const stop = async (): Promise<void> => {
      stopping.abort();
      await follower.stopped;
    };
    stops.push(stop);
    return { progress, follower, stop };
  };

  const shown = async (): Promise<ReadonlyArray<string>> => {
    const text = `select body::json->>'name' as name from read_model.businesses order by place`;
    return (await pool.query<{ name: string }>(text)).rows.map(({ name }) => name);
  };

  const roles = async (): Promise<ReadonlyArray<string>> => {
    const text = 'select role from read_model.instance order by created_at';
    return (await pool.query<{ role: string }>(text)).rows.map(({ role }) => role);
  };

  const said = (notice: string): Promise<boolean> => eventually(() => notices.includes(notice), Boolean, 10_000);

  it('a new one is built beside the live one, which serves until the new one has caught up', async () => {
    const old = run(businesses);
    await old.progress.waitFor(await append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    await old.stop();
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const gated: EventStore = {
      ...store,
      subscribe: async function* (range, signal) {
        await opened;
        yield* store.subscribe(range, signal);
      },
    };
    const { progress } = run(changed, { store: gated });
    await said('2 Projecting');
    const position = await append(store, `business-${randomUUID()}`, 0n, created('Bolt'));
    expect([await roles(), await shown()]).to.deep.equal([['live', 'building'], ['Acme']]);
    open();
    expect(await progress.waitFor(position)).to.equal(true);
    expect([await roles(), await shown()]).to.deep.equal([
      ['previous', 'live'],
      ['Acme', 'Bolt'],
    ]);
  });

  it('an old one takes over again when nobody writes the new one any more', async () => {
    const id = randomUUID();
    const old = run(businesses);
    await old.progress.waitFor(await append(store, `business-${id}`, 0n, created('Acme')));
    await old.stop();
    const next = run(changed);
    await said('2 Switched');
    await next.progress.waitFor(await append(store, `business-${id}`, 1n, renamed('Acme 2')));
    await next.stop();
    const again = run(businesses);
    const position = await append(store, `business-${id}`, 2n, renamed('Acme 3'));
    expect(await again.progress.waitFor(position)).to.equal(true);
    expect([await roles(), await shown()]).to.deep.equal([['live', 'previous'], ['Acme 3']]);
  });

  it('two side by side do not take turns: the one that was replaced only keeps up', async () => {
    const id = randomUUID();
    const replaced = run(changed);
    await said('2 Projecting');
    const replacing = run(businesses);
    await said('1 Switched');
    await eventually(roles, ([first]) => first === 'previous');
    await append(store, `business-${id}`, 0n, created('Acme'));
    const kept = `select count(*)::int from read_model.parked`;
    expect((await pool.query(kept)).rows).to.deep.equal([{ count: 0 }]);
    const checkpoints = async () =>
      (await pool.query<{ at: string }>('select checkpoint_commit as at from read_model.instance')).rows.map(
        ({ at }) => at,
      );
    expect(await eventually(checkpoints, (all) => all.every((at) => at === '1'))).to.deep.equal(['1', '1']);
    expect(await roles()).to.deep.equal(['previous', 'live']);
    await Promise.all([replaced.stop(), replacing.stop()]);
    expect(notices.filter((notice) => notice.endsWith('Switched'))).to.deep.equal(['1 Switched']);
  });
});
