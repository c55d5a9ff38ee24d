import { expect } from 'chai';
import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { makeLogChecks } from '../../../src/infrastructure/verification/log-checks.js';
import { PassOver } from '../../../src/infrastructure/verification/patient-ports.js';
import { checkpointOf, signerNamed } from '../../support/checkpoints.js';
import { historyOf } from '../../support/seal-in-force.js';
import { sealedLog, sourceOf, storeOf } from '../../support/tampered-ledger.js';

const ORIGIN = 'log.example';
const { verifier } = signerNamed(ORIGIN);

/** The checks over a storage that gives one checkpoint and then throws. */
const checksOver = async (thrown: Error) => {
  const world = await sealedLog(1, 1);
  const witnesses = {
    source: sourceOf(world),
    tree: 'no database',
    archive: {
      // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
      async *all() {
        yield checkpointOf(ORIGIN, 1);
        throw thrown;
      },
    },
    seal: { history: historyOf(verifier), findKeys: () => [{ verifier }] },
    keys: [],
    kept: [],
  };
  return makeLogChecks(storeOf(world), ledgerOf(registry), witnesses, () => undefined);
};

describe('what a log is compared with', () => {
  it('goes on without what could not be read, and says so', async () => {
    const { unchecked } = await checksOver(new Error('away'));
    expect(unchecked).to.deep.equal([
      { what: 'the checkpoints in Postgres were not compared: no database', isUnread: true },
      { what: 'not all checkpoints in the file storage were compared: away', isUnread: true },
    ]);
  });

  it('does not go on when it is to end', async () => {
    const ended: unknown = await checksOver(new PassOver()).catch((error: unknown) => error);
    expect(ended).to.be.instanceOf(PassOver);
  });
});
