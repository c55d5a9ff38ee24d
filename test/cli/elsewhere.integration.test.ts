import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { needs } from '../support/needs.js';
import { runOperator, startOperatorAtTerminal } from '../support/operator.js';
import { hasPython } from '../support/python.js';

describe("the operator's commands where root's database is not in DATA_DIR", function () {
  this.timeout(60_000);
  const directories: Array<string> = [];
  let closed: string;
  let env: { readonly DATA_DIR: string };
  let elsewhere: string;
  let made: string;
  let said: string;

  before(async function () {
    needs(this, process.getuid?.() === 0, 'root');
    closed = await mkdtemp(path.join(homedir(), 'closed-')); // which its owner alone may enter
    directories.push(closed);
    env = { DATA_DIR: path.join(closed, 'data') };
    made = (await runOperator(['log', 'import', '/dev/null'], { env })).stderr;
    elsewhere = (await readFile(path.join(env.DATA_DIR, 'postgres.place'), 'utf8')).trim();
    directories.push(elsewhere);
    said =
      `the database is in ${elsewhere} and not in ${env.DATA_DIR}, which the account of Postgres may not enter; ` +
      'who removes the data removes both directories';
  });

  after(() => Promise.all(directories.map((each) => rm(each, { recursive: true }))));

  it('say so once where they make it', () => {
    expect(made.split('\n').filter((line) => line === said)).to.deep.equal([said]);
  });

  it('say so to a person at a terminal, whatever they do', async function () {
    needs(this, hasPython(), 'python3, for a pseudo terminal');
    for (const args of [
      ['log', 'export'],
      ['projections', 'status'],
      ['backup', path.join(closed, 'backup')],
    ]) {
      const { stderr } = await (await startOperatorAtTerminal(args, env)).done;
      expect(
        stderr.split('\r\n').filter((line) => line === said),
        args.join(' '),
      ).to.deep.equal([said]);
    }
  });

  it('say nothing of it to a script', async () => {
    const { code, stderr } = await runOperator(['log', 'export'], { env });
    expect([code, stderr]).to.deep.equal([0, 'exported 0 events\n']);
  });

  it('say where it is when DATA_DIR was removed, and go on when that is written into a new one', async () => {
    await rm(env.DATA_DIR, { recursive: true });
    const { code, stderr } = await runOperator(['log', 'export'], { env });
    const place = path.join(env.DATA_DIR, 'postgres.place');
    expect([code, stderr]).to.deep.equal([
      1,
      `There is no data of a service in ${env.DATA_DIR}. A database that was made for it is still in ${elsewhere}: to use it, write this path into ${place}. ` +
        'Set DATA_DIR to the directory of the service, or start the service, which makes one.\n',
    ]);
    await mkdir(env.DATA_DIR);
    await writeFile(place, elsewhere);
    expect((await runOperator(['log', 'export'], { env })).code).to.equal(0);
  });
});
