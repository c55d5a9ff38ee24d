import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { checkpointKey } from '../../../src/infrastructure/checkpoints/checkpoint-key.js';
import { makeLockTree } from '../../../src/infrastructure/postgres/seal/lock-tree.js';
import { migrateSeal } from '../../../src/infrastructure/postgres/seal/schema.js';
import { makeSealedTree } from '../../../src/infrastructure/postgres/seal/sealed-tree-queries.js';
import { renderSigner, renderVerifier, type Signer, signerOf } from '../../../src/seal/note-key.js';
import { proveInclusion } from '../../../src/seal/proofs.js';
import { renderTlogProof } from '../../../src/seal/tlog-proof.js';
import { signTree } from '../../../src/sealing/sign-tree.js';
import { appendChained, businessStream, interleaved, makeChains } from '../../support/chained-events.js';
import { beforeProgram } from '../../support/before-program.js';
import { untilBlocked } from '../../support/until-blocked.js';
import { oneKey } from '../../support/event-keys.js';
import { operatorProgram, runOperator, runOperatorAlone } from '../../support/operator.js';
import { databaseLike, freshDatabase } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';
import { sealBy } from '../../support/seal-in-force.js';
import { right } from '../../support/sealed-tree.js';
import { LIFT_GUARD } from '../../support/tamper.js';

const EVENT_KEY = 'one event key of at least 32 bytes';
const ORIGIN = 'log.example';
const seed = Buffer.alloc(32, 9);
const [BUSINESSES, ROUNDS] = [20, 15];
const EVENTS = BUSINESSES * ROUNDS;
/** Index of the event at which the first checkpoint was signed. */
const SIGNED = 200;

/** Sends the process that loads it SIGINT with the first line that it prints, however late everybody else is. */
const INTERRUPTED_WHEN_IT_PRINTS = `
  const { write } = process.stdout;
  process.stdout.write = function (...all) {
    process.stdout.write = write;
    process.kill(process.pid, 'SIGINT');
    return write.apply(this, all);
  };
`;

const place = (index: number): string =>
  `index ${index}, ${businessStream(index % BUSINESSES)}, revision ${Math.floor(index / BUSINESSES)}`;

describe('log verify with ledger and seal', function () {
  this.timeout(240_000);

  let url: string;
  let pool: pg.Pool;
  let env: Record<string, string>;
  let directory: string;
  const signer: Signer = right(signerOf(ORIGIN, seed));

  const sign = async (by: Signer = signer): Promise<string> =>
    right(await signTree(makeLockTree(pool, 'ledger'), sealBy(by), { origin: by.verifier.name, largest: undefined }))!
      .note;

  /** What each test begins with. */
  let template: string;
  let first: string;

  before(async () => {
    template = await freshDatabase();
    url = template;
    pool = new pg.Pool({ connectionString: url, max: 2 });
    const chains = makeChains(oneKey);
    const streams = interleaved(BUSINESSES, ROUNDS);
    await projectLog(url, async (store) => {
      await appendChained(store, chains, ...streams.slice(0, SIGNED));
      return BigInt(SIGNED);
    });
    await migrateSeal(pool);
    first = await sign();
    await projectLog(url, async (store) => {
      await appendChained(store, chains, ...streams.slice(SIGNED));
      return BigInt(EVENTS);
    });
    await sign();
    await pool.query(LIFT_GUARD);
    await pool.query('alter table seal.checkpoint disable trigger never_changed');
    await pool.end();
  });

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'log-verify-'));
    url = await databaseLike(template);
    pool = new pg.Pool({ connectionString: url, max: 2 });
    env = { DATABASE_URL: url, DATA_DIR: directory, EVENT_KEY, CHECKPOINT_KEY: renderSigner(signer) };
  });

  afterEach(async () => {
    await pool.end();
    await rm(directory, { recursive: true });
  });

  const verify = async (...args: ReadonlyArray<string>) => {
    const { code, stdout, stderr } = await runOperator(['log', 'verify', ...args], { env });
    const lines = stdout
      .replaceAll(/event [0-9a-f-]{36}/g, 'event ID')
      .split('\n')
      .slice(0, -1);
    return { code, lines, stderr };
  };

  /** The lines that name faults. */
  const faults = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const { code, lines } = await verify(...args);
    expect(code, lines.join('\n')).to.equal(1);
    return lines.filter((line) => /^(broken|suspect|log|ledger|tiles|checkpoint|proof): (?!\d)/.test(line));
  };

  it('finds nothing in what is whole', async () => {
    const { code, lines } = await verify();
    expect({ code, lines }).to.deep.equal({
      code: 0,
      lines: [
        '300 events in 20 streams, every chain intact; 300 events with a mac',
        'ledger: 300 events compared with rows and tiles',
        'checkpoints: all fit',
      ],
    });
    const { stdout } = await runOperator(['log', 'verify', '--json'], { env });
    expect(JSON.parse(stdout)).to.deep.equal({
      ...{ events: 300, streams: 20, broken: 0, withMac: 300, withoutMac: 0, macFaults: 0, macsChecked: true },
      ...{ withoutData: 0, erased: 0, erasures: 0, unsealedDecisions: 0 },
      ledger: { compared: 300, notYet: 0 },
      checkpoints: { fitting: 2, differing: 0, beforePostgres: 0, putElsewhere: 0, earlierOrigins: [] },
      ...{ restarts: [], keyChanges: [] },
      faults: [],
      unchecked: [],
      unread: [],
      guardsLifted: [
        'event_log.event: never_changed',
        'event_log.head: never_removed',
        'event_log.head: only_grows',
        'seal.checkpoint: never_changed',
      ],
    });
  });

  it('says which guards of the history are lifted, and nothing of those that are not', async () => {
    await pool.query('alter table event_log.event enable always trigger never_changed');
    const { code, stderr } = await verify();
    expect(code).to.equal(0);
    expect(stderr.split('\n').filter(Boolean)).to.deep.equal(
      ['event_log.head: never_removed', 'event_log.head: only_grows', 'seal.checkpoint: never_changed'].map(
        (guard) =>
          `the guard of the history is lifted, ${guard}: whoever may write there can change or remove what is kept`,
      ),
    );
  });

  it('says what it did not compare where there are no read models and no key', async () => {
    const { stdout } = await runOperator(['log', 'export'], { env });
    const bare = { DATABASE_URL: await freshDatabase() };
    await runOperator(['log', 'import'], { env: bare, input: stdout });
    const ran = await runOperator(['log', 'verify'], { env: bare });
    expect([ran.code, ran.stdout]).to.deep.equal([
      0,
      [
        '300 events in 20 streams, every chain intact; 300 events with a mac, not checked: no key is set (EVENT_KEY_FILE)',
        'not checked: the ledger was not compared: the read model "ledger" has no rows yet',
        'not checked: the kept checkpoints were not compared: no key is known (CHECKPOINT_KEY_FILE, or --key)',
        '',
      ].join('\n'),
    ]);
  });

  /** Cuts the connection of the command where it waits for a lock on a table. */
  const cutAt = async (table: string, ...args: ReadonlyArray<string>) => {
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await holder.query(`lock table ${table} in access exclusive mode`);
      const running = verify(...args);
      await untilBlocked(pool, { of: 'log-verify' });
      const waiting = `application_name = 'log-verify' and wait_event_type = 'Lock'`;
      await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${waiting}`);
      await holder.query('rollback');
      return await running;
    } finally {
      holder.release();
    }
  };

  const CUT = 'terminating connection due to administrator command';

  it('ends with 1 where something could not be read, though nothing was found', async () => {
    const table = (
      await pool.query<{ name: string }>(
        `select table_name as name from read_model.instance where projection = 'ledger' and role = 'live'`,
      )
    ).rows[0]!.name;
    const { code, lines } = await cutAt(`read_model.${table}`);
    expect({ code, lines }).to.deep.equal({
      code: 1,
      lines: [
        '300 events in 20 streams, every chain intact; 300 events with a mac',
        'checkpoints: all fit',
        `could not be read: the ledger was not compared: ${CUT}`,
      ],
    });
    const {
      code: again,
      lines: [json = ''],
    } = await cutAt(`read_model.${table}`, '--json');
    const unread = [`the ledger was not compared: ${CUT}`];
    expect(again).to.equal(1);
    expect(JSON.parse(json)).to.deep.include({ ledger: null, faults: [], unchecked: unread, unread });
  });

  it('ends with 1 where the file storage cannot be opened', async () => {
    env = { ...env, DATA_DIR: path.join(directory, 'file') };
    await writeFile(path.join(directory, 'file'), '');
    const { code, lines } = await verify();
    expect(code).to.equal(1);
    expect(lines.at(-1)).to.match(/^could not be read: the checkpoints in the file storage were not compared: /);
  });

  it('says in one sentence that the database went away in the midst of it', async () => {
    const { code, lines, stderr } = await cutAt('read_model.tile');
    expect([code, lines, stderr.split('\r').at(-1)?.split('\n').at(-2)]).to.deep.equal([
      1,
      [],
      `the database of the read models reports an error: ${CUT}`,
    ]);
    expect(stderr).not.to.include('    at ');
  });

  it('ends at the first signal while it reads the file storage', async () => {
    const folder = path.join(directory, 'files', ...checkpointKey({ origin: ORIGIN, size: 1 }).split('/').slice(0, -1));
    await mkdir(folder, { recursive: true });
    const names = Array.from({ length: 10_000 }, (_, at) => String(at).padStart(4, '0'));
    for (let at = 0; at < names.length; at += 100)
      await Promise.all(names.slice(at, at + 100).map((name) => writeFile(path.join(folder, name), 'nothing\n')));
    // the first ten objects that are no checkpoints are named as they are read
    const program = [...beforeProgram(INTERRUPTED_WHEN_IT_PRINTS), await operatorProgram()];
    const { code, stderr } = await runOperatorAlone(['log', 'verify'], { env, program });
    expect([
      code,
      stderr.includes('interrupted after 0 events, while the checkpoints in the file storage were read'),
    ]).to.deep.equal([130, true]);
  });

  it('names a row with the largest index that there can be', async () => {
    await pool.query(`update read_model.ledger set idx = ${2n ** 63n - 1n} where idx = 299`);
    const { code, lines } = await verify();
    expect(code).to.equal(1);
    expect(lines.slice(0, 2)).to.deep.equal([
      'tiles: index 9223372036854776000: tile 36028797018963970 of level 0 is missing, or ends too early',
      'log: index 299: neither log nor ledger has the events from here to before index 9223372036854775807',
    ]);
    expect(lines).to.include('ledger: 300 events compared with rows and tiles');
  });

  it('prints no control character that somebody put where names are', async () => {
    const origin = 'log\u001b[2K\u009b1A\ncheckpoints: all fit';
    await pool.query('insert into seal.checkpoint (origin, size, note) values ($1, 7, $2)', [origin, first]);
    const { code, stdout } = await runOperator(['log', 'verify'], { env });
    expect(code).to.equal(1);
    expect(stdout).to.include('the checkpoint of 7 events of log�[2K�1A�checkpoints: all fit, kept in Postgres,');
    // eslint-disable-next-line no-control-regex -- they are what must not be there
    expect(stdout.replaceAll('\n', '')).not.to.match(/[\0-\u001f\u007f-\u009f]/);
    const { stdout: json } = await runOperator(['log', 'verify', '--json'], { env });
    expect(json.replaceAll('\n', '')).not.to.match(/\p{C}/u);
    const [fault] = json.split('\n').map((line) => JSON.parse(line === '' ? '{}' : line) as { reason?: string });
    expect(fault?.reason).to.include(origin);
  });

  it('finds one byte of an old event', async () => {
    await pool.query(`update event_log.event set data = replace(data, '555', '556') where position = 30`);
    expect(await faults()).to.deep.equal([
      `broken: ${place(29)}, event ID: dataHash does not match data`,
      `log: ${place(29)}, event ID: the log has another event here than the ledger, in body`,
    ]);
  });

  it('finds the end of a stream that was cut, other events after it', async () => {
    await pool.query('delete from event_log.event where stream = $1 and revision >= 13', [businessStream(4)]);
    const [one, other, ...more] = await faults();
    expect([one, other]).to.deep.equal([
      `log: ${place(264)}: the ledger has an event here that the log does not have`,
      `log: ${place(284)}: the ledger has an event here that the log does not have`,
    ]);
    expect(more).to.deep.equal([
      'checkpoint: the checkpoint of 300 events of log.example, kept in Postgres, is larger than the log, which has 298: 2 or more were removed',
    ]);
  });

  it('finds a whole stream that was removed, and names the first ten of its events', async () => {
    await pool.query('delete from event_log.event where stream = $1', [businessStream(4)]);
    const { lines } = await verify();
    expect(lines.slice(0, 2)).to.deep.equal([
      `log: ${place(4)}: the ledger has an event here that the log does not have`,
      `log: ${place(24)}: the ledger has an event here that the log does not have`,
    ]);
    expect(lines).to.include('event-removed: 15 in all, of which the first 10 are named');
    expect(lines.find((line) => line.startsWith('checkpoint: '))).to.equal(
      'checkpoint: the checkpoint of 200 events of log.example, kept in Postgres, does not fit the log: the first event that was changed, removed, inserted or moved is between index 0 and 199',
    );
  });

  it('finds events that were cut off at the end of the log', async () => {
    await pool.query('delete from event_log.event where position > 298');
    await pool.query('update event_log.head set position = 298');
    expect(await faults()).to.deep.equal([
      `log: ${place(298)}: the log ends before this event, which the ledger has`,
      `log: ${place(299)}: the log ends before this event, which the ledger has`,
      'checkpoint: the checkpoint of 300 events of log.example, kept in Postgres, is larger than the log, which has 298: 2 or more were removed',
    ]);
  });

  it('does not say that all checkpoints fit where one lies beyond the log', async () => {
    await pool.query('delete from event_log.event where position > 298');
    expect((await verify()).lines).to.include('checkpoints: 1 fits, 1 does not');
  });

  it('finds rows that were changed or removed, and tells them from events', async () => {
    await pool.query(`update read_model.ledger set actor = 'mallory' where idx = 10`);
    await pool.query(`update read_model.ledger set at = at + interval '1 microsecond' where idx = 11`);
    await pool.query(`update read_model.ledger set leaf = sha256('x') where idx = 12`);
    await pool.query(`update read_model.ledger set fields = '{city}', refs = '{}' where idx = 25`);
    await pool.query('delete from read_model.ledger where idx = 100');
    expect(await faults()).to.deep.equal([
      `ledger: ${place(10)}, event ID: the row of the ledger was changed, in actor`,
      `ledger: ${place(11)}, event ID: the row of the ledger was changed, in at`,
      `ledger: ${place(12)}, event ID: the row of the ledger was changed: log and tiles have another hash of this event`,
      `ledger: ${place(25)}, event ID: the row of the ledger was changed, in fields`,
      `ledger: ${place(100)}, event ID: the ledger has no row of this event, which leaves a gap`,
    ]);
  });

  it('finds a tile that was changed', async () => {
    await pool.query(
      `update read_model.tile set hashes = set_byte(hashes, 32 * 17, 255 - get_byte(hashes, 32 * 17)) where level = 0 and idx = 0`,
    );
    expect(await faults()).to.deep.equal([
      `tiles: ${place(17)}, event ID: the tile has another hash here than log and ledger`,
    ]);
    await pool.query('delete from read_model.tile where level = 0 and idx = 1');
    expect(await faults()).to.include('tiles: index 256: tile 1 of level 0 is missing, or ends too early');
  });

  it('says between which checkpoints a change lies that log, ledger and tiles agree on', async () => {
    await pool.query('delete from event_log.event where position = 250');
    await runOperator(['projections', 'rebuild', 'ledger', '--switch', 'always'], { env });
    expect(await faults()).to.deep.equal([
      `broken: index 268, ${businessStream(9)}, revision 13, event ID: revision 13, expected 12`,
      'checkpoint: the checkpoint of 300 events of log.example, kept in Postgres, is larger than the log, which has 299: 1 or more were removed',
    ]);
    await pool.query('delete from event_log.event where position = 150');
    await runOperator(['projections', 'rebuild', 'ledger', '--switch', 'always'], { env });
    expect((await faults()).filter((line) => line.startsWith('checkpoint'))[0]).to.equal(
      'checkpoint: the checkpoint of 200 events of log.example, kept in Postgres, does not fit the log: the first event that was changed, removed, inserted or moved is between index 0 and 199',
    );
  });

  it('names checkpoints that were not signed here, and those from before a restart of the seal', async () => {
    const foreign = right(signerOf(ORIGIN, Buffer.alloc(32, 1)));
    await pool.query('delete from seal.checkpoint where size = 300');
    await pool.query('insert into seal.checkpoint (origin, size, note) select $1, 300, $2', [
      ORIGIN,
      first.replace('200', '300'),
    ]);
    env = { ...env, CHECKPOINT_ORIGIN: 'log.example/2' };
    const older = await verify();
    expect(older.lines).to.deep.equal([
      'checkpoint: the checkpoint of 300 events of log.example, kept in Postgres, is not valid: the signature of log.example+' +
        `${signer.verifier.id} does not fit the text of the note`,
      '300 events in 20 streams, every chain intact; 300 events with a mac',
      'ledger: 300 events compared with rows and tiles',
      'checkpoints: 0 fit, 1 does not',
      'checkpoints of log.example, an earlier origin: 1 in Postgres, 0 in the file storage, up to 200 events; not compared, because the seal was restarted after them',
    ]);
    env = { ...env, CHECKPOINT_ORIGIN: ORIGIN, CHECKPOINT_KEY: renderSigner(foreign) };
    expect(await faults()).to.deep.equal([
      'checkpoint: the checkpoint of 200 events of log.example, kept in Postgres, was signed by no key of this service',
      'checkpoint: the checkpoint of 300 events of log.example, kept in Postgres, was signed by no key of this service',
    ]);
  });

  describe('against what an auditor kept', () => {
    const kept = async (text: string): Promise<string> => {
      const file = path.join(directory, 'kept');
      await writeFile(file, text);
      return file;
    };

    it('finds what whoever owns the database could hide', async () => {
      const file = await kept(first);
      expect((await verify('--against', file)).code).to.equal(0);
      await pool.query('delete from event_log.event where stream = $1', [businessStream(3)]);
      await runOperator(['projections', 'rebuild', '--switch', 'always'], { env });
      await pool.query('delete from seal.checkpoint');
      expect((await verify()).code).to.equal(0);
      const line = `checkpoint: the checkpoint of 200 events of log.example, kept in ${file}, does not fit the log: the first event that was changed, removed, inserted or moved is between index 0 and 199`;
      expect(await faults('--against', file)).to.deep.equal([line]);
      delete env['CHECKPOINT_KEY'];
      expect(await faults('--against', file, '--key', renderVerifier(signer.verifier))).to.deep.equal([line]);
    });

    it('takes the proof of one event', async () => {
      const hashes = right(await proveInclusion(55, SIGNED, makeSealedTree(pool, 'ledger').readTiles));
      const file = await kept(renderTlogProof({ index: 55, hashes, checkpoint: first }));
      expect((await verify('--against', file)).code).to.equal(0);
      await pool.query(
        `update event_log.event set metadata = replace(metadata, '"hash":"', '"hash":"0') where position = 56`,
      );
      expect(await faults('--against', file)).to.include(
        `proof: ${place(55)}, event ID: the event is not the one that the proof kept in ${file} is about`,
      );
    });

    it('says why a file says nothing', async () => {
      const file = await kept(first.replace('200', '201'));
      const told = async (...args: ReadonlyArray<string>) => {
        const { code, stderr } = await runOperator(['log', 'verify', ...args], { env });
        return [code, stderr];
      };
      expect(await told('--against', file)).to.deep.equal([
        1,
        `${file}: the signature of log.example+${signer.verifier.id} does not fit the text of the note\n`,
      ]);
      const [code, missing] = await told('--against', path.join(directory, 'none'));
      expect([code, String(missing).includes('no such file')]).to.deep.equal([1, true]);
      const [usage] = await told('--against', file, '--key', 'log.example+nothing');
      expect(usage).to.equal(2);
      expect((await told('--against', file, businessStream(1)))[0]).to.equal(2);
    });
  });

  it('gives a script the kind and the place of each fault', async () => {
    await pool.query('delete from event_log.event where position = 300');
    await pool.query('update event_log.head set position = 299');
    const { stdout } = await runOperator(['log', 'verify', '--json'], { env });
    const [fault, beyond, counts] = stdout
      .split('\n')
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line));
    expect(fault).to.deep.equal({
      kind: 'end-cut',
      index: 299,
      stream: businessStream(19),
      revision: '14',
      id: null,
      reason: 'the log ends before this event, which the ledger has',
    });
    expect(beyond).to.deep.include({
      kind: 'checkpoint-beyond-log',
      index: 299,
      stream: null,
      revision: null,
      id: null,
    });
    expect(counts).to.deep.include({
      faults: [
        { kind: 'end-cut', count: 1 },
        { kind: 'checkpoint-beyond-log', count: 1 },
      ],
    });
  });
});
