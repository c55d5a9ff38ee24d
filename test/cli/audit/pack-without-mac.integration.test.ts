import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeEventKey } from '../../../src/event-sourcing/event-key.js';
import { requireMac } from '../../../src/event-sourcing/operators/require-mac.js';
import { renderSigner, signerOf } from '../../../src/seal/note-key.js';
import { appendChained, businessStream, makeChains } from '../../support/chained-events.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';
import { right } from '../../support/sealed-tree.js';
import { sealLog } from '../../support/seal-log.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const EVENT_KEY = 'the event key of a service that has packed';
const [OLDER, CHANGED] = [businessStream(0), businessStream(1)] as const;

describe('the command that packs records of a log that is older than its event key', function () {
  this.timeout(startingPostgres);

  it('asks for a mac behind the decision that events may have none, whatever that says of those', async () => {
    const connectionString = await freshDatabase();
    const directory = await mkdtemp(path.join(tmpdir(), 'ops-audit-'));
    const signer = right(signerOf('log.example.com', Buffer.alloc(32, 7)));
    const env = {
      ...{ DATABASE_URL: connectionString, DATA_DIR: path.join(directory, 'data'), EVENT_KEY },
      CHECKPOINT_KEY: renderSigner(signer),
    };
    try {
      await projectLog(connectionString, async (store) => {
        const chains = makeChains();
        await appendChained(store, chains, OLDER, CHANGED);
        const said = { from: 100, actor: 'olga', at: new Date('2026-05-06T07:08:09.000Z') };
        expect(right(await requireMac(systemRuntime, store, said, makeEventKey(EVENT_KEY)))).to.equal(true);
        await appendChained(store, chains, CHANGED);
        return right(await store.head())!;
      });
      await sealLog(connectionString, signer);
      const pack = (stream: string) => {
        const out = path.join(directory, `${stream}.zip`);
        return runOperator(['audit', 'pack', stream.replace('-', '/'), '--out', out], { env });
      };
      expect((await pack(OLDER)).code).to.equal(0);
      expect(await pack(CHANGED)).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `no pack was made: ${CHANGED}, revision 1, has no mac, and must have one: it was appended without the key, or its mac was cut out\n`,
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
