import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { makePackedLog, packOf } from '../support/audit-pack.js';
import { badPacks, cutPack, goodPacks, PACK_KEY } from '../support/bad-packs.js';
import { replacedKeyPacks, saidOfKeys } from '../support/key-changes.js';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';
import { leafDataOf, right } from '../support/sealed-tree.js';
import { witnessedPack, witnessedPacks } from '../support/witnessed-packs.js';
import { refusal, runVerifyPy, startVerifyPy, type Verified, type VerifyPy } from '../support/verify-py.js';

describe('verify.py pack', function () {
  this.timeout(180_000);

  const log = makePackedLog();
  let python: VerifyPy;

  before(async function () {
    needs(this, hasPython(), 'python3, in which the verifier is written');
    python = await startVerifyPy();
  });
  after(async () => {
    if (hasPython()) await python.stop();
  });

  const verify = async (pack: Buffer, ...more: ReadonlyArray<string>): Promise<Verified> =>
    python.run('pack', await python.file('pack.zip', pack), '--key', PACK_KEY, ...more);

  it('says what a pack shows, and what it cannot show', async () => {
    const file = await python.file('pack.zip', await packOf(log.sources()));
    expect(await runVerifyPy(['pack', file, '--key', PACK_KEY])).to.deep.equal({
      code: 0,
      out: [
        '23 events of 4 records: every chain is intact from revision 0 on.',
        'Each event is at its place among the 300 events of the log log.example.com/audit.',
        'The key signed that log, and the list of all that is in this pack, made at 2026-02-03T04:05:06.789Z.',
        '1 event has its data withheld: nothing was verified of it.',
        '2 files: each is what the event that names it says.',
        '1 decision of operators about these records: each is at its place in that log. There may be others.',
        'report.html says what the sealed events say, and nothing else.',
        'This cannot show that nothing came later: neither after the last event of a record nor after the checkpoint.',
        '',
      ].join('\n'),
      error: '',
    });
  });

  for (const [what, pack, said] of goodPacks)
    it(`verifies a pack ${what}`, async () => {
      const { code, out, error } = await verify(await pack());
      expect([code, error]).to.deep.equal([0, '']);
      expect(out).to.match(said);
    });

  it('verifies a pack of which the end of a record was left out, and says that it cannot show that', async () => {
    const { code, out } = await verify(await cutPack());
    expect(code).to.equal(0);
    expect(out).to.match(/^22 events of 4 records: .*\nThis cannot show that nothing came later: /s);
  });

  for (const { what, pack, said, key = PACK_KEY } of badPacks)
    it(`says so when a pack ${what}`, async () => {
      expect(await python.run('pack', await python.file('pack.zip', await pack()), '--key', key)).to.deep.equal(
        refusal(said),
      );
    });

  const bombs = [...badPacks, ...replacedKeyPacks.map((one) => ({ ...one, said: one.fault ?? '' }))];
  for (const { what, pack, said, key = PACK_KEY } of bombs.filter((one) => one.what.includes(' of two GB')))
    it(`needs less than 128 MiB when a pack ${what}`, async function () {
      needs(this, process.platform === 'linux', 'a shell that bounds memory');
      const file = await python.file('bomb.zip', await pack());
      const command = `ulimit -v 131072; exec python3 verifiers/verify.py pack ${file} --key '${key}'`;
      const ended = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
      expect([ended.status, ended.stderr]).to.deep.equal([1, `NOT VERIFIED: ${said}\n`]);
    });

  for (const { what, policy, said, fault, ...pack } of witnessedPacks)
    it(`checks the witnesses of a pack that ${what}`, async () => {
      const verified = await verify(await witnessedPack(pack), '--policy', await python.file('policy', policy));
      if (fault !== undefined) expect(verified).to.deep.equal(refusal(fault));
      else expect([verified.code, verified.error, verified.out.split('\n').at(-3)]).to.deep.equal([0, '', said]);
      // who knows nothing of them reads the pack as before
      expect(await verify(await witnessedPack(pack))).to.deep.include({ code: 0, error: '' });
    });

  for (const { what, key, pack, changes, kept, policy, said, fault } of replacedKeyPacks)
    it(`follows the changes of the key when a pack ${what}`, async () => {
      const options: Array<string> = [];
      for (const [option, content] of Object.entries({ 'key-changes': changes, against: kept, policy }))
        if (content !== undefined) options.push(`--${option}`, await python.file(option, content));
      const verified = await python.run('pack', await python.file('pack.zip', await pack()), '--key', key, ...options);
      if (fault !== undefined) expect(verified).to.deep.equal(refusal(fault));
      else expect([verified.code, verified.error, saidOfKeys(verified.out.split('\n'))]).to.deep.equal([0, '', said]);
    });

  it('says so when there is no such file', async () => {
    expect(await python.run('pack', 'no-such.zip', '--key', PACK_KEY)).to.deep.equal(
      refusal('no-such.zip cannot be read: there is no such file'),
    );
  });

  describe('against a checkpoint that was kept', () => {
    const kept = (size: number, root: Buffer, signer = log.signer): Promise<string> =>
      python.file('kept', right(signCheckpoint({ size, root }, signer)));

    const against = async (file: string): Promise<Verified> => verify(await packOf(log.sources()), '--against', file);

    it('says when it is the same', async () => {
      const { code, out } = await against(await python.file('kept', log.checkpoint));
      expect(code).to.equal(0);
      expect(out).to.include('\nThe checkpoint you kept is of the same events.\n');
    });

    it('finds that the key has signed two histories', async () => {
      expect(await against(await kept(300, leafDataOf('another history', 0)))).to.deep.equal(
        refusal('the checkpoint you kept has the same size and another root: the key has signed two histories'),
      );
    });

    it('says that it cannot compare checkpoints of other sizes', async () => {
      const { code, out } = await against(await kept(299, leafDataOf('another size', 0)));
      expect(code).to.equal(0);
      expect(out).to.include(
        '\nThe checkpoint you kept is of 299 events, that of the pack of 300: only a proof shows that one continues ' +
          'the other. Ask for "ops log verify --against" with yours.\n',
      );
    });

    it('refuses one that the key has not signed, and a file that is not there', async () => {
      expect(await against(await python.file('kept', log.checkpoint.replace('\n300\n', '\n301\n')))).to.deep.equal(
        refusal('the signature of the checkpoint you kept does not fit: it was changed, or is forged'),
      );
      expect(await against('no-such-checkpoint')).to.deep.equal(
        refusal('no-such-checkpoint cannot be read: No such file or directory'),
      );
    });
  });
});
