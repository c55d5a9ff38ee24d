import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeEventKey } from '../../../src/event-sourcing/event-key.js';
import { requireMac } from '../../../src/event-sourcing/operators/require-mac.js';
import { appendChained, businessStream, makeChains } from '../../support/chained-events.js';
import { diskStorage } from '../../support/disk-storage.js';
import { otherKey } from '../../support/event-keys.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';
import { right } from '../../support/sealed-tree.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const EVENT_KEY = 'the event key of a service that is backed up';

describe('the backup of a log with events of which nobody can say who has sealed them', function () {
  this.timeout(startingPostgres);
  let directory: string;
  let connectionString: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'ops-backup-'));
    connectionString = await freshDatabase();
    await diskStorage(path.join(directory, 'data', 'files'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('says how many there are, and so does its verification, where keys are set', async () => {
    const plain = makeChains();
    const [first, second] = [businessStream(0), businessStream(1)] as const;
    await projectLog(connectionString, async (store) => {
      await appendChained(store, plain, first, first);
      await appendChained(store, makeChains(otherKey), second);
      return right(await store.head())!;
    });
    const env = { DATABASE_URL: connectionString, DATA_DIR: path.join(directory, 'data') };
    const backup = path.join(directory, 'backup');
    const notes = async (settings: Record<string, string>, ...args: ReadonlyArray<string>) => {
      const { code, stderr } = await runOperator(['backup', backup, ...args], { env: { ...env, ...settings } });
      expect(code, stderr).to.equal(0);
      return stderr.split('\n').filter((line) => line.includes('mac'));
    };
    const [wrong, asTheyAre] = [
      '1 event has a mac that is not by a key of the settings',
      'the backup has them as they are; see ops log verify',
    ];
    const both = [`2 events have no mac, and ${wrong}: ${asTheyAre}`];
    expect(await notes({ EVENT_KEY })).to.deep.equal(both);
    expect(await notes({ EVENT_KEY }, '--verify')).to.deep.equal(both);
    expect(await notes({}, '--verify')).to.deep.equal([]);

    // an operator says that they are right, and somebody appends one more
    await projectLog(connectionString, async (store) => {
      const by = { actor: 'olga', at: new Date('2026-05-06T07:08:09.000Z') };
      expect(right(await requireMac(systemRuntime, store, { ...by, from: 3 }, makeEventKey(EVENT_KEY)))).to.equal(true);
      await appendChained(store, plain, first);
      return right(await store.head())!;
    });
    expect(await notes({ EVENT_KEY })).to.deep.equal([`1 event has no mac: ${asTheyAre}`]);
    expect(await notes({ EVENT_KEY }, '--verify')).to.deep.equal([`1 event has no mac, and ${wrong}: ${asTheyAre}`]);
  });
});
