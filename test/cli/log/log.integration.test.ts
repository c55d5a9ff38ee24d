import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { categoriesOf, registry } from '../../../src/entities/registry.js';
import { type EventKey, makeEventKey } from '../../../src/event-sourcing/event-key.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { type OpenLog, openLog } from '../../../src/infrastructure/open-stores.js';
import { appendChained, businessStream, interleaved, makeChains } from '../../support/chained-events.js';
import { oneKey } from '../../support/event-keys.js';
import { needs } from '../../support/needs.js';
import { operatorProgram, runOperator } from '../../support/operator.js';
import { freshDatabase } from '../../support/postgres.js';
import { LIFT_GUARD } from '../../support/tamper.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const SECRET = 'the event key of the logs of this test';
const key = makeEventKey(SECRET);

const [BUSINESSES, ROUNDS] = [20, 5];

const NO_LEDGER = 'not checked: the ledger was not compared: the read model "ledger" has no rows yet';

/** The counts that `log verify --json` ends with, but for those of what is compared beside chains and macs. */
const countsIn = (stdout: string): object => {
  const line = stdout.trimEnd().split('\n').at(-1) ?? '';
  // reason: as docs/ops-json.md says
  const {
    ledger: _ledger,
    checkpoints: _checkpoints,
    unchecked: _unchecked,
    unread: _unread,
    restarts: _restarts,
    keyChanges: _keyChanges,
    guardsLifted: _guardsLifted,
    ...counts
  } = JSON.parse(line) as Record<string, unknown>;
  return counts;
};

/** The `id` of the object that a command has printed. */
const idIn = (stdout: string): string => (JSON.parse(stdout) as { readonly id: string }).id; // reason: as docs/ops-json.md says

const openEmbedded = async (dataDir: string): Promise<OpenLog> => {
  const opened = await openLog(
    { _tag: 'Embedded', dataDir },
    {
      runtime: systemRuntime,
      processKind: 'operator',
      categories: categoriesOf(registry),
      onPostgresLog: () => undefined,
      onConnectionEvent: () => undefined,
    },
  );
  if (E.isLeft(opened)) throw new Error(opened.left.message);
  return opened.right;
};

const NOTHING_ELSE = { withoutData: 0, erased: 0, erasures: 0, unsealedDecisions: 0 };

describe('the log commands', function () {
  this.timeout(300_000);

  let directory: string;
  let env: Record<string, string>;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'ops-log-'));
    // so that the account of Postgres may enter it where root runs this
    await chmod(directory, 0o755);
    env = inNewDirectory('data');
    await write(env, key, ...interleaved(BUSINESSES, ROUNDS));
  });

  after(() => rm(directory, { recursive: true }));

  const inNewDirectory = (name: string): Record<string, string> => ({
    DATA_DIR: path.join(directory, name),
    EVENT_KEY: SECRET,
  });

  /** Appends events to a log, as a service does that seals them under this key, or has none. */
  const write = async (
    { DATA_DIR }: Record<string, string>,
    eventKey: EventKey | undefined,
    ...streams: ReadonlyArray<StreamName>
  ): Promise<void> => {
    const { log, close } = await openEmbedded(DATA_DIR!);
    await appendChained(log, makeChains(eventKey), ...streams);
    await close();
  };

  it('verify a log that is whole, as a person and as a machine reads it', async () => {
    const person = await runOperator(['log', 'verify'], { env });
    expect(person).to.deep.equal({
      code: 0,
      stdout: `100 events in 20 streams, every chain intact; 100 events with a mac\ncheckpoints: none is kept\n${NO_LEDGER}\n`,
      stderr: '',
    });
    const machine = await runOperator(['log', 'verify', '--json'], { env });
    const whole = { broken: 0, withoutMac: 0, macFaults: 0, macsChecked: true, ...NOTHING_ELSE, faults: [] };
    expect(countsIn(machine.stdout)).to.deep.equal({ events: 100, streams: 20, withMac: 100, ...whole });
    const one = await runOperator(['log', 'verify', businessStream(3), '--json'], { env });
    expect([one.code, countsIn(one.stdout), one.stderr]).to.deep.equal([
      0,
      { events: 5, streams: 1, withMac: 5, ...whole },
      '',
    ]);
  });

  it('bring an export into an empty log and export the same again, and refuse one that is not empty', async () => {
    const exported = await runOperator(['log', 'export'], { env });
    expect(exported.code).to.equal(0);
    expect(exported.stdout.split('\n')).to.have.length(BUSINESSES * ROUNDS + 1);

    const other = inNewDirectory('imported');
    const imported = await runOperator(['log', 'import', '--json'], { env: other, input: exported.stdout });
    expect(imported).to.deep.equal({ code: 0, stdout: '{"events":100,"streams":20,"withoutMac":0}\n', stderr: '' });
    const again = await runOperator(['log', 'export'], { env: other });
    expect(again.stdout).to.equal(exported.stdout);

    const refused = await runOperator(['log', 'import'], { env: other, input: exported.stdout });
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.equal('not imported: the log is not empty, it holds events up to position 100\n');
  });

  it('store nothing of a file that is broken, and name its line', async () => {
    const { stdout } = await runOperator(['log', 'export'], { env });
    const lines = stdout.split('\n');
    lines[60] = lines[60]!.replace('+1 555', '+1 556');
    const file = path.join(directory, 'tampered.ndjson');
    await writeFile(file, lines.join('\n'));
    const other = inNewDirectory('tampered');
    const refused = await runOperator(['log', 'import', file], { env: other });
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(
      /^not imported: line 61 breaks the chain of business-\S+: dataHash does not match data\n$/,
    );
    const { stdout: empty } = await runOperator(['log', 'verify', '--json'], { env: other });
    expect(countsIn(empty)).to.deep.include({ events: 0, streams: 0, broken: 0 });

    // standard input can be read only once
    const piped = await runOperator(['log', 'import'], { env: other, input: lines.join('\n') });
    expect(piped.code).to.equal(1);
    expect(piped.stderr).to.match(
      /^the import ended early: line 61 .*\. The log has the first 60 events of the export, and an import does not go on: repeat it into an empty log\n$/,
    );
    for (const command of ['verify', 'import']) {
      const half = await runOperator(['log', command], { env: other });
      expect([half.code, half.stdout]).to.deep.equal([1, '']);
      expect(half.stderr).to.include('an import into this log has begun and not ended');
    }
  });

  it('name the broken event of a log that somebody changed, and end with 1', async () => {
    const broken = inNewDirectory('broken');
    const { stdout } = await runOperator(['log', 'export'], { env });
    await runOperator(['log', 'import'], { env: broken, input: stdout });
    const { database, close } = await openEmbedded(broken['DATA_DIR']!);
    const client = new pg.Client({ connectionString: database?.url });
    await client.connect();
    await client.query(LIFT_GUARD);
    await client.query(`update event_log.event set data = replace(data, '555', '556') where position = 25`);
    await client.end();
    await close();

    const { code, stdout: found } = await runOperator(['log', 'verify', '--json'], { env: broken });
    const [finding = ''] = found.split('\n');
    const { kind, stream, revision, reason } = JSON.parse(finding) as Record<string, string>;
    expect({ code, kind, stream, revision, reason, summary: countsIn(found) }).to.deep.equal({
      code: 1,
      kind: 'chain-broken',
      stream: businessStream(4),
      revision: '1',
      reason: 'dataHash does not match data',
      summary: {
        ...{ events: 100, streams: 20, broken: 1, withMac: 100, withoutMac: 0, macFaults: 0, macsChecked: true },
        ...NOTHING_ELSE,
        faults: [{ kind: 'chain-broken', count: 1 }],
      },
    });
  });

  const withoutIds = (stdout: string): ReadonlyArray<string> =>
    stdout
      .trimEnd()
      .replaceAll(/event [0-9a-f-]{36}/g, 'event ID')
      .split('\n');

  it('ask for a mac of each event behind those of which an operator says that they are right', async () => {
    const older = inNewDirectory('older');
    await write(older, undefined, ...interleaved(BUSINESSES, 1));
    const before = await runOperator(['log', 'verify'], { env: older });
    expect([before.code, withoutIds(before.stdout).slice(9)]).to.deep.equal([
      1,
      [
        `suspect: index 9, ${businessStream(9)}, revision 0, event ID: mac is missing`,
        '20 events in 20 streams, every chain intact; 0 events with a mac, 20 without; 20 events suspect',
        'mac-missing: 20 in all, of which the first 10 are named',
        'events from before the event key was set have no mac: once, `ops log require-mac` records in the tree that they are right',
        'checkpoints: none is kept',
        NO_LEDGER,
      ],
    ]);

    const required = await runOperator(['log', 'require-mac', '--user', 'olga'], { env: older });
    expect([required.code, withoutIds(required.stdout)]).to.deep.equal([
      0,
      [
        'recorded: operations-seal, revision 0, event ID; of 20 events, 20 without a mac, and from index 20 on every one must have one',
      ],
    ]);
    const again = await runOperator(['log', 'require-mac', '--json'], { env: older });
    expect([again.code, JSON.parse(again.stdout)]).to.deep.equal([
      0,
      {
        ...{ stream: 'operations-seal', revision: '0', id: idIn(again.stdout), isNew: false },
        ...{ from: 20, events: 21, withoutMac: 20, decisions: 0 },
      },
    ]);
    expect((await runOperator(['log', 'verify'], { env: older })).stdout).to.match(
      /^21 events in 21 streams, every chain intact; 1 event with a mac, 20 without\n/,
    );

    const [without, under] = [businessStream(100), businessStream(101)];
    await write(older, undefined, without);
    await write(older, oneKey, under);
    const found = await runOperator(['log', 'verify'], { env: older });
    expect([found.code, withoutIds(found.stdout).slice(0, 3)]).to.deep.equal([
      1,
      [
        `suspect: index 21, ${without}, revision 0, event ID: mac is missing`,
        `suspect: index 22, ${under}, revision 0, event ID: mac is of an unknown key`,
        '23 events in 23 streams, every chain intact; 2 events with a mac, 21 without; 2 events suspect',
      ],
    ]);

    const refused = await runOperator(['log', 'require-mac'], { env: older });
    expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.match(
      /^not recorded: 1 event without a mac stands behind events that have one; the first is business-\S+, revision 0, event \S+\. .*--force says that they are right\n$/,
    );
    expect((await runOperator(['log', 'require-mac', '--force'], { env: older })).code).to.equal(0);
    const { stdout } = await runOperator(['log', 'verify', '--json'], { env: older });
    expect(countsIn(stdout)).to.deep.include({ withoutMac: 21, faults: [{ kind: 'mac-unknown-key', count: 1 }] });
  });

  it('do not say for somebody that a decision without a mac is right, which came when others had one', async () => {
    const forged = inNewDirectory('forged-decision');
    await write(forged, key, ...interleaved(2, 1));
    await write(forged, undefined, 'operations-businesses');
    const found = await runOperator(['log', 'verify'], { env: forged });
    expect(found.code).to.equal(1);
    expect(found.stdout).to.match(/^suspect: operations-businesses, revision 0, event \S+: mac is missing$/m);
    const refused = await runOperator(['log', 'require-mac'], { env: forged });
    expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.match(
      /^not recorded: 1 event without a mac stands behind events that have one; the first is operations-businesses, revision 0, event /,
    );
    const { stdout: exported } = await runOperator(['log', 'export'], { env: forged });
    const imported = await runOperator(['log', 'import'], { env: inNewDirectory('forged-import'), input: exported });
    expect(imported.code).to.equal(1);
    expect(imported.stdout).to.include('1 event without a mac, 1 of them behind events that have one');
    expect(imported.stderr).to.include('not recorded again: operations-businesses, revision 0');
  });

  it('say of an import how many events came without a mac, and record that', async () => {
    const [older, keyed] = [inNewDirectory('without-macs'), inNewDirectory('with-macs')];
    await write(older, undefined, ...interleaved(3, 2));
    const { stdout } = await runOperator(['log', 'export'], { env: older });
    const imported = await runOperator(['log', 'import', '--user', 'olga'], { env: keyed, input: stdout });
    expect(imported).to.deep.equal({
      code: 0,
      stdout:
        'imported 6 events in 3 streams\n' +
        '6 events without a mac: nobody can tell who made them up. That they came with this command is recorded in the log; from index 6 on every event must have a mac\n',
      stderr: '',
    });
    const decisions = await runOperator(['log', 'export', '--stream', 'operations-seal'], { env: keyed });
    expect(JSON.parse(decisions.stdout)).to.have.property('type', 'EventMacRequired');
    expect(JSON.parse(decisions.stdout)).to.have.nested.property('data.from', 6);
    expect(JSON.parse(decisions.stdout)).to.have.nested.property('metadata.actor', 'olga');
    expect((await runOperator(['log', 'verify'], { env: keyed })).code).to.equal(0);
  });

  it('say that macs were not checked where no key is set, and require none there', async () => {
    const keyless = { DATABASE_URL: await freshDatabase() };
    const { stdout } = await runOperator(['log', 'export', '--stream', businessStream(3)], { env });
    await runOperator(['log', 'import'], { env: keyless, input: stdout });
    expect(await runOperator(['log', 'verify'], { env: keyless })).to.deep.equal({
      code: 0,
      stdout:
        '5 events in 1 stream, every chain intact; 5 events with a mac, not checked: no key is set (EVENT_KEY_FILE)\n' +
        `${NO_LEDGER}\n` +
        'not checked: the kept checkpoints were not compared: no key is known (CHECKPOINT_KEY_FILE, or --key)\n',
      stderr: '',
    });
    expect(await runOperator(['log', 'require-mac'], { env: keyless })).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: 'not recorded: no key is set (EVENT_KEY_FILE), so no event gets a mac\n',
    });
    const short = path.join(directory, 'short-key');
    await writeFile(short, 'short\n');
    const refused = await runOperator(['log', 'verify'], { env: { ...keyless, EVENT_KEY_FILE: short } });
    expect([refused.code, refused.stderr.includes('EVENT_KEY: expected one key a line')]).to.deep.equal([2, true]);
  });

  it('end an export or another result that could not be printed, and never with 0', async function () {
    const { PATH = '' } = process.env;
    const program = `"${process.execPath}" ${await operatorProgram()}`;
    const code = async (command: string): Promise<ReadonlyArray<string>> => {
      const shell = spawn('bash', ['-c', command], { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
      let [stdout, stderr] = ['', ''];
      shell.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      shell.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      await once(shell, 'close');
      return [stdout, stderr];
    };
    // the reader has ended before anything is written
    expect(await code(`exec 3> >(:); wait $!; ${program} log export >&3; echo "$?"`)).to.deep.equal(['141\n', '']);
    needs(this, existsSync('/dev/full'), '/dev/full');
    for (const command of ['log export', 'log verify --json']) {
      const [stdout, stderr] = await code(`${program} ${command} >/dev/full; echo "$?"`);
      expect(stdout, command).to.equal('1\n');
      expect(stderr, command).to.match(/^standard output could not be written \(ENOSPC/m);
      expect(stderr, command).not.to.match(/^(?:exported|interrupted)/m);
    }
  });

  it('export nothing of a stream that there is not, or from behind the end of the log, and end with 1', async () => {
    const missing = businessStream(BUSINESSES);
    for (const [args, why] of [
      [
        ['--stream', missing],
        `the log has no stream ${missing} (those of the service are named business-<id> or document-<id>)`,
      ],
      [['--since', '99999999'], 'the log ends before position 99999999'],
      [['--stream', businessStream(3), '--since', '99999999'], 'the log ends before position 99999999'],
    ] as const)
      expect(await runOperator(['log', 'export', ...args], { env })).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `${why}\n`,
      });
    const atEnd = await runOperator(['log', 'export', '--since', '100'], { env });
    expect(atEnd).to.deep.equal({ code: 0, stdout: '', stderr: 'exported 0 events\n' });
  });

  it('name the categories that an export may be of', async () => {
    const { code, stderr } = await runOperator(['log', 'export', '--category', 'bogus'], { env });
    expect(code).to.equal(2);
    expect(stderr).to.include('Allowed choices are business, document, operations.');
  });

  it('say what is wrong with the command line or the configuration, and end with 2', async () => {
    for (const args of [['log'], ['log', 'verify', 'nodash'], ['log', 'mend']]) {
      const { code, stdout, stderr } = await runOperator(args, { env });
      expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).not.to.include('    at ');
    }
    const wrong = await runOperator(['log', 'verify'], { env: { ...env, PORT: 'high' } });
    expect(wrong.code).to.equal(2);
    expect(wrong.stderr).to.include('PORT:');
    expect((await runOperator(['log', 'export', '--help'], { env })).code).to.equal(0);
  });

  it('say that a log cannot be reached, or a file is not there, without a stack trace, and end with 1', async () => {
    const away = { ...env, EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false' };
    const missing = path.join(directory, 'missing.ndjson');
    for (const ran of [
      await runOperator(['log', 'verify'], { env: away }),
      await runOperator(['log', 'import', missing], { env: inNewDirectory('imported') }),
    ]) {
      expect(ran.code).to.equal(1);
      expect(ran.stderr).to.match(
        /(EventStoreDB: UNAVAILABLE: .*|EventStoreDB did not answer in time|no such file or directory, stat '.*')\n$/,
      );
      expect(ran.stderr).not.to.include('    at ');
    }
  });
});
