import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { MakeClient } from '../samples/client.js';
import { CALLS, type Clients } from './calls.js';
import type { Generator } from './generators.js';
import type { Cell, Row } from './table.js';

const run = promisify(execFile);

const PACKAGE = path.resolve('test/clients');
const LINES_TOLD = 12;

/** A running service, as the clients meet it. */
export type Service = { readonly address: string; readonly token: string; readonly description: string };

const messageOf = (error: unknown): string => {
  const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
  const lines = `${stdout}${stderr}`.trim().split('\n');
  return lines.join('') === '' ? message : lines.slice(0, LINES_TOLD).join('\n');
};

const cellOf = async (tried: () => Promise<{ readonly cannot: string } | undefined>): Promise<Cell> => {
  try {
    const left = await tried();
    return left === undefined ? { _tag: 'Ok' } : { _tag: 'LeftOut', why: left.cannot };
  } catch (error) {
    return { _tag: 'Failed', why: messageOf(error) };
  }
};

const command = (name: string): string => path.join(PACKAGE, 'node_modules/.bin', name);

const generate = async (
  { command: [name, ...args] }: Generator,
  sample: string,
  description: string,
): Promise<void> => {
  const made = path.join(sample, 'made');
  await rm(made, { recursive: true, force: true });
  await mkdir(made);
  await writeFile(path.join(made, 'openapi.json'), description);
  await run(command(name), args, { cwd: sample });
};

/** What the compiler says of a sample: of the file that narrows events, and of all else. */
const compile = async (sample: string): Promise<{ readonly narrowing: string; readonly others: string }> => {
  const output = await run(command('tsc'), ['--pretty', 'false', '--project', '.'], { cwd: sample }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { stdout: string }).stdout, // reason: execFile adds it to what it throws
  );
  const faults = output.split('\n').filter((line) => line.includes('error TS'));
  const isNarrowing = (line: string): boolean => line.startsWith('narrows.ts(');
  const told = (lines: ReadonlyArray<string>): string => lines.slice(0, LINES_TOLD).join('\n');
  return {
    narrowing: told(faults.filter(isNarrowing)),
    others: told(faults.filter((line) => !isNarrowing(line))),
  };
};

const compiled = (faults: string): Cell => (faults === '' ? { _tag: 'Ok' } : { _tag: 'Failed', why: faults });

const clientsIn = async (sample: string, { address, token }: Service): Promise<Clients> => {
  // reason: each sample exports one
  const { makeClient } = (await import(path.join(sample, 'client.ts'))) as { makeClient: MakeClient };
  const storedFile = async (id: string): Promise<Buffer> => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${address}/api/v1/document/${id}/file`, { headers });
    return Buffer.from(await response.arrayBuffer());
  };
  return { admin: makeClient(address, token), nobody: makeClient(address, undefined), storedFile };
};

/**
 * Generates a client, compiles its sample and makes the calls. The calls are made also where the sample does not compile:
 * what is a fault of types alone is so told from one that loses something.
 */
export const tryGenerator = async (generator: Generator, version: string, service: Service): Promise<Row> => {
  const { name } = generator;
  const sample = path.join(PACKAGE, 'samples', name);
  const cells = new Map<string, Cell>();
  const row = { name, version, cells };
  const generated = await cellOf(async () => {
    await generate(generator, sample, service.description);
    return undefined;
  });
  cells.set('generates', generated);
  if (generated._tag !== 'Ok') return row;
  const { narrowing, others } = await compile(sample);
  cells.set('compiles', compiled(others)).set('narrows', compiled(narrowing));
  const clients = await clientsIn(sample, service);
  for (const [call, tryCall] of Object.entries(CALLS)) cells.set(call, await cellOf(() => tryCall(clients)));
  return row;
};
