import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';
import { parseVerifier } from '../../src/seal/note-key.js';
import { untilSigned } from '../support/until-signed.js';
import { needs } from '../support/needs.js';
import { runOperator } from '../support/operator.js';
import { startingPostgres } from '../support/postgres.js';
import { hasPython } from '../support/python.js';
import { right } from '../support/sealed-tree.js';
import { outputWith } from '../support/service-process.js';
import { SmallWitness, witnessKey } from '../support/small-witness.js';
import { runVerifyPy } from '../support/verify-py.js';
import { expectFound, verified } from './found.js';
import { changed, type HistoryEvent, rechained } from './history.js';
import { places, type Place, runSql } from './places.js';
import {
  copied,
  EVENT_KEY,
  type Kept,
  openSealedService,
  newestCheckpoint,
  running,
  type SealedService,
  stopped,
} from './sealed-service.js';

for (const [name, openPlace] of Object.entries(places))
  describe(`tampering with a service that has a witness, whose log is in ${name}`, function () {
    this.timeout(startingPostgres * 3);
    let place: Place;
    let service: SealedService;
    let discard: () => Promise<void>;
    let directory: string;
    let witness: SmallWitness;
    let policy: string;
    let discards: Array<() => Promise<void>>;

    before(async () => {
      ({ place, service, discard } = await openSealedService(openPlace));
    });

    after(() => discard());

    beforeEach(async () => {
      discards = [];
      directory = await mkdtemp(path.join(tmpdir(), 'witness-of-'));
      const head = path.join(directory, 'head');
      witness = new SmallWitness(witnessKey('w.example/1', 1), [right(parseVerifier(service.key))], head);
      await witness.start();
      policy = path.join(directory, 'policy');
      await writeFile(policy, `witness w ${witness.key.vkey} ${witness.url}\nquorum w\n`);
    });

    afterEach(async () => {
      await witness.stop();
      await rm(directory, { recursive: true });
      for (const discard of discards) await discard();
    });

    const copyOf = async (kept: Kept, history: ReadonlyArray<HistoryEvent>): Promise<Kept> => {
      const copy = await copied(kept);
      discards.push(copy.discard);
      await place.write(copy.url, history);
      return copy;
    };

    const started = (copy: Kept) => running({ ...service.settings, WITNESS_POLICY: policy }, copy);

    /** Has the log, as it truly is, cosigned. */
    const witnessed = async (): Promise<Kept> => {
      const copy = await copyOf(service.now, service.history);
      const process = await started(copy);
      await untilSigned(process, 10, (note) => note.split('\n').filter((line) => line.startsWith('— ')).length === 2);
      expect(witness.heads()[service.key.split('+')[0] ?? '']?.size).to.equal(10);
      expect((await runSql(copy.url, 'select from seal.cosigned')).rowCount).to.equal(1);
      await stopped(process);
      return copy;
    };

    /** What `verify.py` says of an export of the whole log, against a checkpoint that must be cosigned. */
    const verifiedWithPolicy = async ({ url, dataDir }: Kept, checkpoint: string) => {
      const env = { ...service.settings, DATABASE_URL: url, DATA_DIR: dataDir };
      const [file, log] = [path.join(directory, 'checkpoint'), path.join(directory, 'log')];
      await writeFile(log, (await runOperator(['log', 'export'], { env })).stdout);
      await writeFile(file, checkpoint);
      return runVerifyPy(['export', log, '--checkpoint', file, '--key', service.key, '--policy', policy]);
    };

    const cosigned = async ({ url }: Kept): Promise<string> => {
      const { rows } = await runSql(url, 'select note from seal.cosigned order by number desc limit 1');
      return (rows as ReadonlyArray<{ readonly note: string }>)[0]?.note ?? ''; // reason: that is the column
    };

    it('is not found where nobody has tampered, and says when the witness saw the log', async function () {
      needs(this, hasPython(), 'python3, in which the verifier is written');
      const copy = await witnessed();
      const { code, out, error } = await verifiedWithPolicy(copy, await cosigned(copy));
      expect([code, error]).to.deep.equal([0, '']);
      expect(out).to.match(/Witnesses saw the checkpoint, by their clocks, .*: w at 20\d\d-\S+Z\.\n/);
    });

    it('is found by who has the key of the witness, when somebody with all keys and the storage writes an event anew', async function () {
      needs(this, hasPython(), 'python3, in which the verifier is written');
      await witnessed();
      const history = rechained(
        changed(4, (event) => ({ ...event, data: event.data.replace('"1"', '"7"') }))(service.history),
        service.streams.first,
        makeEventKey(EVENT_KEY),
      );
      const copy = await copyOf(service.now, history);
      await runSql(copy.url, 'drop schema read_model cascade', 'drop schema seal cascade');
      await rm(path.join(copy.dataDir, 'files', 'checkpoints'), { recursive: true });
      const process = await started(copy);
      const forged = await newestCheckpoint(copy.url, 10);
      expect(await outputWith(process, 'it has seen another tree of this size')).to.include(
        'it has seen another tree of this size',
      );
      await stopped(process);
      expect(await cosigned(copy)).to.equal('');
      expect(await verifiedWithPolicy(copy, forged)).to.deep.equal({
        code: 1,
        out: '',
        error: 'NOT VERIFIED: the checkpoint lacks the quorum of the policy: it is cosigned by no witness of it\n',
      });
    });

    it('is found by log verify, where the cosigned checkpoint that is handed out was changed', async () => {
      const copy = await witnessed();
      expect((await verified(service.settings, copy)).faults).to.deep.equal([]);
      await runSql(
        copy.url,
        'alter table seal.cosigned disable trigger never_changed',
        `update seal.cosigned set note = replace(note, E'\n10\n', E'\n9\n'), size = 9`,
      );
      const invalid =
        'checkpoint-invalid: the checkpoint of 9 events of log.example.com/tampering, kept in Postgres, cosigned,';
      expectFound(await verified(service.settings, copy), [invalid]);
    });

    it('is found by the witness, which the service names, when all of it is taken back to a backup', async () => {
      await witnessed();
      const copy = await copyOf(service.earlier, service.history.slice(0, service.earlier.events));
      const process = await started(copy);
      const said = 'it remembers 10 events, and the log has 4: the log was taken back';
      expect(await outputWith(process, said)).to.include(said);
      await stopped(process);
      expect(await cosigned(copy)).to.equal('');
    });
  });
