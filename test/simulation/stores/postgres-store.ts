import { makePostgresStorage } from '../../../projections/engine/postgres/postgres-storage.js';
import type { Pool } from 'pg';
import type { Clock } from '../../../src/event-sourcing/clock.js';
import {
  makeReadModelQueries,
  type ReadModelQueries,
} from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import { makeErasedRows } from '../../../src/infrastructure/postgres/erasure/erased-rows.js';
import type { LedgerSeal } from '../../../src/infrastructure/postgres/read-models/open-read-models.js';
import { makeCosigned } from '../../../src/infrastructure/postgres/seal/cosigned.js';
import { makeLockTree } from '../../../src/infrastructure/postgres/seal/lock-tree.js';
import {
  type CheckpointPlaces,
  makeArchiveNotes,
  makeFindNoted,
} from '../../../src/infrastructure/postgres/seal/noted-checkpoints.js';
import { makeSealedTree } from '../../../src/infrastructure/postgres/seal/sealed-tree-queries.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { planByIndex } from '../../../src/postgres/index-plans.js';
import { makePool } from '../../../src/postgres/pool.js';
import { makeInTurn } from '../../support/in-turn.js';
import { makeMemoryStorage } from '../../support/memory-storage/memory-storage.js';
import { erasedRowsBy } from '../ports/erasing.js';
import { queriesBy } from '../ports/queries.js';
import { choosingRows } from './any-rows.js';
import { comparedErasedRows, comparedStorage } from './compared-storage.js';
import { inOnePiece } from './in-one-piece.js';
import { hearNotices, tellingListeners } from './notices.js';
import { takeClock } from './postgres-clock.js';
import type { MakeStore, StoreName } from './stores.js';
import type { Way } from '../way.js';
import { makeWhole, wayOf } from './whole.js';
import { wholeQueries } from './whole-queries.js';
import { wholeSeal } from './whole-seal.js';
import { wholeStorage } from './whole-storage.js';

/** A statement that takes so long on the machine does not end, ms. */
const LONGEST_MS = 60_000;
/** What is given up after so long on the machine may have been answered, ms: it is asked for again. */
const IN_TIME_MS = 300;

const never = (): void => undefined;

/** For what runs while time stands still: nothing is ever late. */
const STILL: Clock = {
  date: () => new Date(0),
  monotonic: () => 0,
  computed: () => 0,
  sleep: () => new Promise(never),
  after: () => never,
  every: () => never,
  soon: (task) => {
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  },
};

/** How what has limits of time of its own is asked, which are those of the machine: that may be slow. */
const IN_TIME: Way = {
  ...wayOf((call) => call()),
  call: async (_name, ask) => {
    for (;;) {
      const began = performance.now();
      const isInTime = (): boolean => performance.now() - began < IN_TIME_MS;
      try {
        const answer = await ask();
        if (isInTime()) return answer;
      } catch (error) {
        if (isInTime()) throw error;
      }
    }
  },
};

const askedInTime = (queries: ReadModelQueries): ReadModelQueries => {
  // a process asks for them once: it names their statements by numbers
  const made = new Map<string, ReturnType<ReadModelQueries['of']>>();
  return queriesBy(IN_TIME, {
    ...queries,
    of: (listed) => {
      const own = made.get(listed.name) ?? queries.of(listed);
      made.set(listed.name, own);
      return own;
    },
  });
};

/** All rows of all generations, as texts. */
const textsIn = async (pool: Pool): Promise<ReadonlyArray<string>> => {
  const tables = await pool.query<{ name: string }>('select table_name as name from read_model.instance order by 1');
  const texts: Array<string> = [];
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ text: string }>(`select t::text as text from read_model."${name}" as t`);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts;
};

/** What a life before has left. */
const CLEAR = 'drop schema if exists read_model cascade; drop schema if exists seal cascade';

/** The stores of lives, one after the other, in a database of their own. */
type OpenPostgres = Readonly<Record<Exclude<StoreName, 'memory'>, MakeStore>> & { readonly close: () => Promise<void> };

let databases = 0;

/** Makes the database on a server whose role is a superuser. */
export const openPostgres = async (server: string): Promise<OpenPostgres> => {
  const name = `life_${process.pid}_${(databases += 1)}`;
  const admin = makePool({ connectionString: server, name: 'simulation', connections: 1, connectMs: LONGEST_MS });
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  const connectionString = url.href;

  const options = { connectionString, connections: 4, connectMs: LONGEST_MS, queryMs: LONGEST_MS };
  const pool = makePool({ ...options, name: 'projections', prepare: planByIndex });
  const sealing = makePool({ ...options, name: 'seal' });
  const clockOfDatabase = await takeClock(sealing);
  clockOfDatabase.set(new Date(0));
  const sql = makePostgresStorage({ runtime: systemRuntime, pool, connectionString });
  const notices = await hearNotices(connectionString);
  const queries = askedInTime(inOnePiece(makeReadModelQueries(STILL, { connectionString })));

  const sealOf = (ledger: string, places: CheckpointPlaces): Omit<LedgerSeal, 'storage'> => ({
    tree: makeSealedTree(sealing, ledger),
    lockTree: makeLockTree(sealing, ledger),
    notes: makeArchiveNotes(sealing, places),
    findNoted: makeFindNoted(sealing, places),
    openCosigned: () => makeCosigned(sealing, ledger),
  });

  const makeStore =
    (isCompared: boolean): MakeStore =>
    async ({ world, clock, notes }) => {
      await sealing.query(CLEAR);
      notices.clear();
      const whole = makeWhole(world, () => clockOfDatabase.set(clock.date()));
      const inTurn = makeInTurn();
      const telling = choosingRows(tellingListeners(sql, notices));
      const erased = makeErasedRows(pool);
      const memory = makeMemoryStorage({ clock });
      return {
        storage: wholeStorage(whole, isCompared ? comparedStorage(telling, memory, notes.breaks) : telling),
        erasedRows: erasedRowsBy(
          wayOf(whole),
          isCompared ? comparedErasedRows(erased, memory.erasedRows, notes.breaks) : erased,
        ),
        texts: () => whole(() => textsIn(pool)),
        queries: wholeQueries(whole, queries),
        seal: (ledger, places = ['']) => wholeSeal(whole, inTurn, sealOf(ledger, places)),
      };
    };

  return {
    postgres: makeStore(false),
    both: makeStore(true),
    close: async () => {
      await notices.close();
      await Promise.all([queries.close(), pool.end(), sealing.end()]);
      clockOfDatabase.remove();
    },
  };
};
