import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import {
  endableArchive,
  PassOver,
  patientTree,
  type Persist,
} from '../../../src/infrastructure/verification/patient-ports.js';
import type { SignedCheckpoint } from '../../../src/read/sealed-tree.js';
import { checkpointOf } from '../../support/checkpoints.js';

const ORIGIN = 'log.example';

describe('reading checkpoints until the database answers', () => {
  let kept: Array<SignedCheckpoint>;
  /** By how many were given in all: the reads that are not answered then. */
  let unanswered: Map<number, number>;
  let given: number;
  let onFailure: () => void;

  beforeEach(() => {
    kept = [100, 200, 200, 300, 400, 500].map((size, at) =>
      checkpointOf(ORIGIN, size, at === 2 ? 'another key' : 'a key'),
    );
    unanswered = new Map();
    given = 0;
    onFailure = () => undefined;
  });

  /** As the service does it, and without a pause. */
  const persist: Persist = async (work) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        onFailure();
      }
    }
  };

  const tree = {
    newestOf: () => Promise.resolve(E.right(undefined)),
    cosignedOf: () => Promise.resolve(E.right(undefined)),
    // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
    async *cosigned() {
      yield* [];
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
    async *checkpoints() {
      for (const checkpoint of kept) {
        const failures = unanswered.get(given) ?? 0;
        if (failures > 0) {
          unanswered.set(given, failures - 1);
          throw new StoreUnavailable('away');
        }
        yield checkpoint;
      }
    },
  };

  const read = async (): Promise<ReadonlyArray<SignedCheckpoint>> => {
    const found: Array<SignedCheckpoint> = [];
    for await (const checkpoint of patientTree(tree, persist).checkpoints()) {
      found.push(checkpoint);
      given = found.length;
    }
    return found;
  };

  it('gives each of them once when it fails in the middle, and fails again while it is read up to there', async () => {
    unanswered = new Map([
      [3, 2],
      [5, 3],
    ]);
    expect(await read()).to.deep.equal(kept);
    expect([...unanswered.values()]).to.deep.equal([0, 0]);
  });

  it('gives all of them when the first reads fail', async () => {
    unanswered = new Map([[0, 2]]);
    expect(await read()).to.deep.equal(kept);
  });

  it('does not end where the one that was given last is gone: those behind it would seem to be missing', async () => {
    unanswered = new Map([[3, 1]]);
    onFailure = () => (kept = kept.filter((_, at) => at !== 2));
    const failed: unknown = await read().catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error).with.property('message').that.includes('is not in Postgres any more');
  });
});

describe('reading checkpoints from the storage until nobody wants them', () => {
  const kept = [100, 200, 300, 400].map((size) => checkpointOf(ORIGIN, size));
  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  const all = async function* () {
    yield* kept;
  };

  const readWhile = async (mayGoOn: (given: number) => boolean) => {
    const found: Array<SignedCheckpoint> = [];
    const { signal } = new AbortController();
    const archive = endableArchive({ all }, () => Promise.resolve(mayGoOn(found.length)), signal);
    try {
      for await (const checkpoint of archive.all()) found.push(checkpoint);
      return { found, error: undefined };
    } catch (error) {
      return { found, error };
    }
  };

  it('gives all of them', async () => {
    expect(await readWhile(() => true)).to.deep.equal({ found: kept, error: undefined });
  });

  it('ends where another process has become the one that verifies', async () => {
    const { found, error } = await readWhile((given) => given < 3);
    expect(found).to.deep.equal(kept.slice(0, 3));
    expect(error).to.be.instanceOf(PassOver);
  });
});
