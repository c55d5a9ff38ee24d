import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { makeApi } from '../support/api.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

// inside the project, so that its packages are found
const CACHE = path.resolve('node_modules/.cache');

type Ended = { readonly code: number | null; readonly output: string };

describe('the typed client of docs/api.md', function () {
  this.timeout(400_000);

  let stack: MemoryStack;
  let directory: string;
  let program: string;
  let commands: ReadonlyArray<string>;

  const sh = (command: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    new Promise((resolve) => {
      const child = execFile('sh', ['-c', command], { cwd: directory, env: { ...process.env, ...env } });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: string) => (output += text));
      child.on('close', (code) => {
        resolve({ code, output: output.replace(/^npm warn .*\n/gm, '') });
      });
    });

  /** The command of the page that begins so. */
  const command = (beginning: string): string => {
    const found = commands.find((line) => line.startsWith(beginning));
    if (found === undefined) throw new Error(`the page has no command ${beginning}`);
    return found;
  };

  before(async () => {
    const [, section = ''] = (await readFile('docs/api.md', 'utf8')).split('\n## A typed client\n');
    const [own = ''] = section.split('\n## ');
    program = /```ts\n([\s\S]*?)```/.exec(own)?.[1] ?? '';
    commands = [...own.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, lines = '']) => lines.trim().split('\n'));
    await mkdir(CACHE, { recursive: true });
    directory = await mkdtemp(path.join(CACHE, 'typed-client-'));
    await writeFile(path.join(directory, 'package.json'), '{"type":"module"}');
    stack = await startMemoryStack();
    const generate = command('npx openapi-typescript').replace('http://localhost:3000', stack.baseUrl);
    for (const each of [generate, command('echo')]) {
      const { code, output } = await sh(each);
      expect(code, output).to.equal(0);
    }
  });

  after(async () => {
    await stack.stop();
    await rm(directory, { recursive: true });
  });

  it('needs the packages that it is tried with', async () => {
    const { devDependencies } = JSON.parse(await readFile('package.json', 'utf8')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const named = [...command('npm install').matchAll(/(openapi-\S+)@(\S+)/g)].map(([, ...each]) => each);
    expect(named.map(([name]) => name)).to.deep.equal(['openapi-typescript', 'openapi-fetch']);
    for (const [name = '', version] of named) expect(devDependencies[name]).to.match(new RegExp(`^${version}[.]`));
  });

  it('compiles, creates, changes, pages, reads what changed, and stores a file', async () => {
    const api = makeApi(stack.baseUrl, stack.tokenFor('admin'));
    for (let number = 0; number < 150; number += 1) await api.json('POST', '/business', { name: `business ${number}` });
    await writeFile(path.join(directory, 'client.ts'), program);
    const misspelt = program.replace("city: 'Berlin'", "citty: 'Berlin'");
    await writeFile(path.join(directory, 'misspelt.ts'), misspelt);
    const compiled = await sh(command('npx tsc'));
    expect(compiled.code, compiled.output).to.equal(0);
    const run = command('TOKEN=').replace(/^TOKEN=\$\(.*\) /, '');
    const env = { SERVICE: stack.baseUrl, TOKEN: stack.tokenFor('editor') };
    expect(await sh(run, env)).to.deep.equal({
      code: 0,
      output: 'businesses: 151\nmoved: city Berlin, website null\nbytes: 7\na lease\n',
    });
    expect((await sh(run, { ...env, TOKEN: stack.tokenFor('viewer') })).output).to.include('role_missing');
    const refused = await sh(run.replace('client.js', 'misspelt.js'), env);
    expect(refused.output).to.include('validation_failed');
  });

  it('does not compile with a wrong path, parameter, field or member of an event', async () => {
    const wrong = {
      path: program.replace("api.POST('/api/v1/business'", "api.POST('/api/v1/busines'"),
      parameter: program.replace('limit = 100', "limit = 'many'"),
      field: program.replace("city: 'Berlin'", 'city: true'),
      member: program.replace("'BusinessUpdated'", "'BusinessDeleted'"),
    };
    for (const [name, text] of Object.entries(wrong)) {
      expect(text, name).to.not.equal(program);
      await writeFile(path.join(directory, `${name}.ts`), text);
    }
    const files = Object.keys(wrong).map((name) => `${name}.ts`);
    const { output } = await sh(command('npx tsc'));
    const faulty = new Set([...output.matchAll(/^(\w+[.]ts)\(/gm)].map(([, file]) => file));
    expect([...faulty].sort()).to.deep.equal(files.sort());
  });
});
