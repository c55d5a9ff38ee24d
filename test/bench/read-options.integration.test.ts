import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';

type Ended = { readonly code: number; readonly output: string; readonly complaints: string };

const run = (file: string, ...options: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '' };
    execFile(process.execPath, ['--import', 'tsx', file, ...options], { env }, (error, output, complaints) =>
      resolve({ code: Number(error?.code ?? 0), output, complaints }),
    );
  });

/** The file of each measuring command of npm, by the name of the command. */
const commands = async (): Promise<Readonly<Record<string, string>>> => {
  // reason: the file is ours
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const measuring = Object.entries(scripts).filter(([name]) => /^bench(:|$)/.test(name));
  return Object.fromEntries(measuring.map(([name, script]) => [name, script.split(' ').at(-1) ?? '']));
};

const OPTIONS: Readonly<Record<string, string>> = {
  bench: '--only …, --seconds …, --rounds …, --businesses …, --json',
  'bench:drift': '--entities …, --events …, --seconds …, --json',
  'bench:feeds': '--watchers …, --events …, --replay …, --json',
  'bench:growth': '--only …, --sizes …, --seconds …, --large, --json',
  'bench:history': '--events …, --json',
  'bench:memory': '--mib …, --businesses …, --clients …, --json',
  'bench:rebuild': '--entities …, --rounds …, --json',
  'bench:stacks': '--only …, --seconds …, --rounds …, --businesses …, --json',
};

describe('the options of the measuring commands', function () {
  this.timeout(300_000);

  it('are named in one line by each command that is given another one, which then ends with 1', async () => {
    const files = await commands();
    expect(Object.keys(files)).to.have.members(Object.keys(OPTIONS));
    for (const [name, file] of Object.entries(files))
      expect(await run(file, '--help'), name).to.deep.equal({
        code: 1,
        output: '',
        complaints: `Unknown option '--help'. Options: ${OPTIONS[name]}\n`,
      });
  });

  it('are named for one without its value, and for a word that is none', async () => {
    const files = await commands();
    for (const [wrong, complaint] of [
      ['--rounds', "Option '--rounds <value>' argument missing"],
      ['fast', "Unexpected argument 'fast'"],
    ] as const)
      expect(await run(files['bench:rebuild'] ?? '', wrong)).to.deep.equal({
        code: 1,
        output: '',
        complaints: `${complaint}. Options: ${OPTIONS['bench:rebuild']}\n`,
      });
  });
});
