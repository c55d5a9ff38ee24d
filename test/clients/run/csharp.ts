import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Answer, Cannot, Client } from '../samples/client.js';
import type { Cell } from './table.js';
import { faultOf, LINES_TOLD, type Made, PACKAGE, run, type Toolchain } from './toolchain.js';

const SDK = 10;

type Manifest = { readonly tools: Readonly<Record<string, { readonly version: string }>> };

/** What the generators for C# cannot do with a body of two media types. */
const NO_FORM: Cannot = { cannot: 'of two media types it writes JSON alone' };

const missing = async (): Promise<string | undefined> => {
  const version = await run('dotnet', ['--version']).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  if (version === undefined) return `there is no .NET SDK (dotnet) on this machine; it takes ${SDK}`;
  return Number.parseInt(version, 10) >= SDK ? undefined : `it takes the .NET SDK ${SDK}; there is ${version}`;
};

type Told<A> = Answer<A> | { readonly fault: string };

type Call = { readonly name: string; readonly token: string | undefined; readonly args: ReadonlyArray<unknown> };

/** The program of a sample, which makes one call after the other. */
const startProgram = (sample: string, address: string) => {
  const child = spawn('dotnet', [path.join(sample, 'made/bin/client.dll'), address], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const errors: Array<string> = [];
  createInterface(child.stderr).on('line', (line) => errors.push(line));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ended = once(child, 'close');
  const ask = async <A>(call: Call): Promise<Answer<A>> => {
    child.stdin.write(`${JSON.stringify(call)}\n`);
    const line = await lines.next();
    if (line.done === true) throw new Error(errors.slice(0, LINES_TOLD).join('\n'));
    // reason: Bridge.cs writes them so
    const told = JSON.parse(line.value) as Told<A>;
    if ('fault' in told) throw new Error(told.fault.split('\n').slice(0, LINES_TOLD).join('\n'));
    return told;
  };
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  return { ask, stop };
};

const base64 = async (file: Blob): Promise<string> => Buffer.from(await file.arrayBuffer()).toString('base64');

const open = (sample: string, address: string): Made => {
  const { ask, stop } = startProgram(sample, address);
  const makeClient = (_address: string, token: string | undefined): Client => {
    const call = <A>(name: string, ...args: ReadonlyArray<unknown>): Promise<Answer<A>> => ask({ name, token, args });
    return {
      create: (name, key) => call('create', name, key),
      get: (id) => call('get', id),
      list: (name, limit, after) => call('list', name, limit, after),
      update: (id, revision, website) => call('update', id, revision, website),
      createDocument: (name) => call('createDocument', name),
      createByForm: NO_FORM,
      putFile: async (id, file, originalName) => call('putFile', id, await base64(file), originalName),
      download: async (id) => {
        const answer = await call<string>('download', id);
        return answer.ok ? { ok: true, value: new Uint8Array(Buffer.from(answer.value, 'base64')).buffer } : answer;
      },
      websitesSet: (id) => call('websitesSet', id),
      ledger: (id) => call('ledger', id),
    };
  };
  return { makeClient, stop };
};

/** With the .NET SDK, and the tools of `dotnet-tools.json`. `union` says why one of events is not narrowed. */
export const csharp = (union: string): Toolchain => ({
  missing,
  versionOf: async (packageName) => {
    // reason: it is ours
    const { tools } = JSON.parse(await readFile(path.join(PACKAGE, 'dotnet-tools.json'), 'utf8')) as Manifest;
    const tool = tools[packageName];
    if (tool === undefined) throw new Error(`${packageName} is none of the tools`);
    return tool.version;
  },
  run: async (command, sample) => {
    await run('dotnet', ['tool', 'restore'], { cwd: PACKAGE });
    await run('dotnet', command, { cwd: sample });
  },
  compile: async (sample) => {
    const build = ['build', '--nologo', '--disable-build-servers'];
    const narrows: Cell = { _tag: 'LeftOut', why: union };
    const output = await faultOf(run('dotnet', build, { cwd: sample, maxBuffer: 100_000_000 }));
    if (output === undefined) return { compiles: { _tag: 'Ok' }, narrows };
    const faults = [...new Set(output.split('\n').filter((line) => / error [A-Z]+\d+: /.test(line)))];
    const why = (faults.length === 0 ? output.split('\n') : faults).slice(0, LINES_TOLD).join('\n');
    return { compiles: { _tag: 'Failed', why }, narrows };
  },
  open: (sample, address) => Promise.resolve(open(sample, address)),
});
