import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { parseSigner, renderVerifier, type Verifier } from '../../src/seal/note-key.js';
import { makeApi } from '../support/api.js';
import { untilFiles } from '../support/until-files.js';
import { untilSigned } from '../support/until-signed.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { outputWith, tokenFor } from '../support/service-process.js';
import { SmallWitness, witnessKey } from '../support/small-witness.js';

const ORIGIN = 'log.example.com/witnessed';
const NO_QUORUM = 'too few witnesses have cosigned the checkpoint';

const verifierOf = (secret: string): Verifier => {
  const signer = parseSigner(secret);
  if (E.isLeft(signer)) throw new Error(signer.left);
  return signer.right.verifier;
};

const cosignatures = (note: string): number =>
  note.split('\n').filter((line) => line.startsWith('— w.example/')).length;

describe('the checkpoints of a service that has witnesses', function () {
  this.timeout(startingPostgres * 5);
  let dataDir: string;
  let env: Readonly<Record<string, string>>;
  let witnesses: ReadonlyArray<SmallWitness>;
  let services: Array<ComposedService>;

  const policyWith = async (quorum: string, more = ''): Promise<string> => {
    const lines = witnesses.map(({ key, url }, at) => `witness w${at + 1} ${key.vkey} ${url}`);
    const file = path.join(dataDir, 'policy');
    await writeFile(file, `${more}${lines.join('\n')}\ngroup both all w1 w2\nquorum ${quorum}\n`);
    return file;
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'witnessed-'));
    const { stdout } = await runOperator(['log', 'new-key', ORIGIN]);
    env = { DATA_DIR: dataDir, DATABASE_URL: await freshDatabase(), CHECKPOINT_KEY: stdout.trim() };
    const logs = [verifierOf(stdout.trim())];
    witnesses = [1, 2].map(
      (n) => new SmallWitness(witnessKey(`w.example/${n}`, n), logs, path.join(dataDir, `head-${n}`)),
    );
    for (const witness of witnesses) await witness.start();
    services = [];
  });

  afterEach(async () => {
    await Promise.all(services.map(({ stop }) => stop()));
    for (const witness of witnesses) await witness.stop();
    await rm(dataDir, { recursive: true });
  });

  const start = async (policy: string) => {
    const service = await startComposed({ dataDir, env: { ...env, WITNESS_POLICY: policy } });
    services.push(service);
    const api = makeApi(service.address, await tokenFor('admin', 'alice'));
    const create = async (name: string) =>
      (await api.json<{ readonly _id: string }>('POST', '/business', { name }))._id;
    const served = async (): Promise<string> => (await fetch(`${service.address}/tlog/checkpoint`)).text();
    /** What is handed out once it covers so many events and has this many cosignatures. */
    const cosigned = (size: number): Promise<string> => untilSigned(service, size, (note) => cosignatures(note) === 2);
    return { service, create, served, cosigned };
  };

  it('have the cosignatures of all that cosign, where they are served, archived and packed', async () => {
    const { service, create, cosigned } = await start(await policyWith('both'));
    const id = await create('Acme');
    expect(cosignatures(await cosigned(1))).to.equal(2);
    const files = await untilFiles(path.join(dataDir, 'files', 'checkpoints'));
    const kept = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    expect(kept.map(cosignatures)).to.deep.equal([2]);
    const out = path.join(dataDir, 'pack.zip');
    const packed = await runOperator(['audit', 'pack', `business/${id}`, '--out', out], { env });
    expect([packed.code, packed.stderr]).to.deep.equal([0, '']);
    await create('Bolt');
    expect(cosignatures(await cosigned(2))).to.equal(2);
    const log = await runOperator(['log', 'verify'], { env });
    expect(log.code, log.stdout + log.stderr).to.equal(0);
    const metrics = await fetch(`${service.address}/metrics`, {
      headers: { Authorization: `Bearer ${await tokenFor('auditor', 'a')}` },
    });
    expect(await metrics.text()).to.match(/^seal_cosigned_events 2$/m);
    await service.stop();
    const again = await start(await policyWith('both'));
    await again.create('Coal');
    expect(cosignatures(await again.cosigned(3))).to.equal(2);
  });

  it('are signed, and changes are acknowledged, while witnesses are silent, which is said', async () => {
    const { service, create, cosigned, served } = await start(await policyWith('both'));
    await create('Acme');
    await cosigned(1);
    witnesses[1]!.instead = () => new Promise(() => undefined);
    await create('Bolt');
    expect(await outputWith(service, NO_QUORUM)).to.include(NO_QUORUM);
    const { warnings = [] } = (await (await fetch(`${service.address}/readyz`)).json()) as { warnings?: Array<string> };
    expect(warnings.filter((warning) => warning.includes('cosignatures'))).to.deep.equal([]);
    // the one that has its quorum is still handed out
    expect(Number((await served()).split('\n')[1])).to.equal(1);
    const metrics = await fetch(`${service.address}/metrics`, {
      headers: { Authorization: `Bearer ${await tokenFor('auditor', 'a')}` },
    });
    expect(await metrics.text()).to.match(/^seal_signed_events 2$/m);
  });

  it('need a policy that can be followed, or the service does not start and says why', async () => {
    const secret = (await runOperator(['log', 'new-key', 'other.example'])).stdout.trim();
    const other = renderVerifier(verifierOf(secret));
    const said = (policy: string): Promise<string> => start(policy).then(() => 'started', String);
    const nowhere = await said(path.join(dataDir, 'nowhere'));
    expect(nowhere).to.match(/WITNESS_POLICY: .*nowhere: it cannot be read: .*ENOENT/);
    expect(await said(await policyWith('w3'))).to.match(
      /WITNESS_POLICY: .*policy: line 4: it names no witness or group/,
    );
    expect(await said(await policyWith('both', `log ${other}\n`))).to.match(
      /its lines log do not name the key that signs/,
    );
    const silent = path.join(dataDir, 'silent');
    await writeFile(silent, `witness w1 ${witnesses[0]!.key.vkey}\nquorum w1\n`);
    expect(await said(silent)).to.match(/that have an address cannot make its quorum/);
  });
});
