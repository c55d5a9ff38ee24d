import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Command, Option } from 'commander';
import { groups, ungrouped } from '../../src/cli/commands.js';
import { placesOf } from '../../src/cli/completion/places.js';
import { completionScript, type Shell } from '../../src/cli/completion/script.js';
import { needs } from '../support/needs.js';
import { runOperator } from '../support/operator.js';
import { hasPython } from '../support/python.js';

const run = promisify(execFile);

/** The only file where the shells run: they offer it where they offer files. */
const FILE = 'a-file';

const EXAMPLE = /<!-- example: completion -->\n+```sh\n([\s\S]*?)\n```/;

/** How each shell is asked, outside a terminal, what it offers behind `line`; it prints one offer a line. */
const asked: Readonly<Record<Shell, (script: string, line: string) => ReadonlyArray<string>>> = {
  bash: (script, line) => [
    '--norc',
    '-c',
    `source "$0"; compopt() { files=; }; files=${FILE}; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
     _ops; printf '%s\n' "\${COMPREPLY[@]}" "$files"`,
    script,
    ...line.split(/ |(?==)|(?<==)/), // readline divides at `=`, too
  ],
  zsh: (script, line) => [
    '-f',
    '-c',
    `source "$0"; compset() { }; compadd() { shift; print -l -- "$@" }; _files() { print ${FILE} }
     words=("$@") CURRENT=$#; _ops`,
    script,
    ...line.split(' '),
  ],
  fish: (script, line) => ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, line],
};

const SHELLS = Object.keys(asked) as ReadonlyArray<Shell>; // reason: the keys of a constant are its keys

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** What is offered behind a line, in every shell alike. */
const offered: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ['ops lo', ['log']],
  ['ops ', [...Object.keys(groups), ...Object.keys(ungrouped), 'completion', 'help']],
  ...Object.entries(groups).map(([name, { commands }]) => [`ops ${name} `, Object.keys(commands)] as const),
  ['ops projections parked r', ['retry']],
  ['ops log verify --', ['--against', '--key', '--json', '--help']],
  ['ops log verify --a', ['--against']],
  ['ops log verify ', [FILE]],
  ['ops log verify --against ', [FILE]],
  ['ops projections rebuild ', ['businesses', 'documents', 'ledger']],
  ['ops projections rebuild --dry-run b', ['businesses']],
  ['ops projections rebuild --switch ', ['always', 'if-same', 'never']],
  ['ops events --order d', ['desc']],
  ['ops events --order=d', ['desc']],
  ['ops log export ', []],
  ['ops nothing', []],
  ['ops completion ', ['bash', 'zsh', 'fish']],
  ['ops help log ver', ['verify']],
  ['ops help log verify ', []],
];

describe('the completion of a shell', function () {
  this.timeout(120_000);
  let directory: string;
  let empty: string;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'completion-'));
    empty = await mkdtemp(path.join(tmpdir(), 'completing-'));
    await writeFile(path.join(empty, FILE), '');
    for (const shell of SHELLS) {
      const { code, stdout, stderr } = await runOperator(['completion', shell]);
      expect([code, stderr]).to.deep.equal([0, '']);
      await writeFile(path.join(directory, shell), stdout);
    }
  });

  after(() => Promise.all([directory, empty].map((each) => rm(each, { recursive: true }))));

  for (const shell of SHELLS)
    it(`offers commands, options, values and files in ${shell}`, async function () {
      needs(this, has(shell), shell);
      for (const [line, expected] of offered) {
        const args = asked[shell](path.join(directory, shell), line);
        const { stdout, stderr } = await run(shell, args, { cwd: empty });
        expect(stderr, line).to.equal('');
        const written = /[^ =]*$/.exec(line)?.[0] ?? '';
        const words = stdout.split('\n').map((each) => each.replace(/\t.*/, '').replace(/^--\w+=/, ''));
        // zsh itself leaves out what does not begin so
        const fitting = words.filter((each) => each !== '' && each.startsWith(written));
        expect(fitting.sort(), line).to.deep.equal([...expected].sort());
      }
    });

  /** What a shell prints for lines that are typed at a terminal. */
  const printed = async (shell: string, lines: ReadonlyArray<string>, cwd: string): Promise<string> => {
    const args = [path.resolve('test/support/pseudo-terminal.py'), shell, shell === 'bash' ? '--norc' : '-f', '-i'];
    const terminal = run('python3', args, { cwd, env: { ...process.env, TERM: 'dumb' } });
    terminal.child.stdin?.end([...lines, 'exit'].map((line) => `${line}\n`).join(''));
    return (await terminal).stdout;
  };

  for (const shell of ['bash', 'zsh'])
    it(`completes what is typed with the tab key in ${shell}`, async function () {
      needs(this, hasPython(), 'python3, for a pseudo terminal');
      needs(this, has(shell), shell);
      const typed = [
        `source '${path.join(directory, shell)}'`,
        'ops() { echo "given: $*"; }',
        'ops lo\tveri\t--ag\ta-f\t',
        'ops events --order=d\t',
      ];
      const given = (await printed(shell, typed, empty)).match(/given: .*/g)?.map((line) => line.trimEnd());
      expect(given).to.deep.equal([`given: log verify --against ${FILE}`, 'given: events --order=desc']);
    });

  it('is loaded as docs/operations.md says', async function () {
    needs(this, hasPython(), 'python3, for a pseudo terminal');
    const [, example = ''] = EXAMPLE.exec(await readFile('docs/operations.md', 'utf8')) ?? [];
    expect(await printed('bash', [example, 'ops log veri\t--he\t'], '.')).to.match(/^Usage: ops log verify /);
  });

  it('has no default in its script, and quotes what descriptions say', async function () {
    const program = new Command('ops');
    program
      .command('try')
      .description("what isn't $(touch made) `touch made` \\")
      .addOption(new Option('--user <name>', 'who').default('planted', 'planted as well'));
    for (const shell of SHELLS) {
      const script = completionScript(shell, placesOf(program));
      expect(script)
        .to.include('--user'.slice(shell === 'fish' ? 2 : 0))
        .and.not.to.include('planted');
      if (!has(shell)) continue;
      await writeFile(path.join(directory, 'quoted'), script);
      const { stdout } = await run(shell, asked[shell](path.join(directory, 'quoted'), 'ops t'), { cwd: empty });
      expect(stdout, shell).to.match(/^try\b/);
    }
  });

  it('is of a shell that is known', async () => {
    const { code, stdout, stderr } = await runOperator(['completion', 'csh']);
    expect([code, stdout]).to.deep.equal([2, '']);
    expect(stderr).to.include('Allowed choices are bash, zsh, fish.');
  });
});
