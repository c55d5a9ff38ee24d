import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Row } from './table.js';
import { PACKAGE, run } from './toolchain.js';
import { cellOf } from './tried.js';
import type { Service } from './try-generator.js';
import { typescript } from './typescript.js';

export const NEWMAN = 'newman';

type Field = { readonly key: string; value: string; disabled?: boolean };

type Body = { readonly mode: string; file?: object; readonly formdata?: ReadonlyArray<{ type: string; src?: string }> };

type Request = {
  readonly url: { readonly variable: ReadonlyArray<Field>; readonly query: ReadonlyArray<Field> };
  readonly body?: Body;
};

type Item = { readonly name: string; readonly request: Request };

type Collection = { readonly item: ReadonlyArray<{ readonly item: ReadonlyArray<Item> }> };

/** What a run of a collection came to, as Newman writes it. */
type Run = {
  readonly run: {
    readonly executions: ReadonlyArray<{
      readonly item: { readonly name: string };
      readonly response?: { readonly code: number };
    }>;
  };
};

/** What a person fills in where a parameter has this name. */
type Known = Readonly<Record<string, string>>;

/** Records of one request alone: others change and delete theirs. */
const makeRecords = async ({ address, token }: Service, file: string): Promise<Known> => {
  const send = async (method: string, where: string, body: string | Buffer): Promise<string> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${address}/api/v1/${where}`, { method, headers, body });
    const { _id } = (await response.json()) as { readonly _id: string }; // reason: what is created answers it
    return _id;
  };
  const businessId = await send('POST', 'business', JSON.stringify({ name: 'Acme Inc.' }));
  await send('POST', `business/${businessId}/owner`, JSON.stringify({ user: 'carol' }));
  const documentId = await send('POST', 'document', JSON.stringify({ name: 'Lease' }));
  await send('PUT', `document/${documentId}/file?originalName=lease.txt`, await readFile(file));
  return { businessId, ownerId: 'carol', documentId, originalName: 'lease.txt' };
};

const fill = ({ url, body }: Request, known: Known, file: string): void => {
  for (const field of url.variable) field.value = known[field.key] ?? field.value;
  for (const field of url.query) {
    const value = known[field.key];
    if (value !== undefined) Object.assign(field, { value, disabled: false });
  }
  if (body?.mode === 'file') body.file = { src: file };
  for (const field of body?.formdata ?? []) if (field.type === 'file') field.src = file;
};

/** Whether it is of something that only the service gives out: a ticket, a place in the log, a file of the page. */
const isOfNothing = ({ request: { url } }: Item): boolean => url.variable.some(({ value }) => value === '');

const faultsOf = (items: ReadonlyArray<Item>, { run: { executions } }: Run): ReadonlyArray<string> =>
  items.flatMap((item, index) => {
    const ran = executions[index];
    const code = ran?.response?.code ?? 'nothing';
    const wanted = isOfNothing(item) ? 404 : 200;
    return ran?.item.name === item.name && code === wanted ? [] : [`${item.name}: ${code} instead of ${wanted}`];
  });

/**
 * The Postman collection that `npm run postman` makes of the description, with what a person fills in, by Postman's own
 * runner: each of its requests.
 */
export const tryNewman = async (service: Service): Promise<Row> => {
  const { address, token, description } = service;
  const folder = await mkdtemp(path.join(tmpdir(), 'newman-'));
  const inFolder = (name: string): string => path.join(folder, name);
  const requests = await cellOf(async () => {
    const made = execFileSync(process.execPath, ['deploy/postman.js'], { input: description, encoding: 'utf8' });
    const collection = JSON.parse(made) as Collection; // reason: test/docs/postman.integration.test.ts holds it to this
    const file = inFolder('lease.txt');
    await writeFile(file, 'a lease');
    const items = collection.item.flatMap(({ item }) => item);
    for (const { request } of items) fill(request, await makeRecords(service, file), file);
    await writeFile(inFolder('collection.json'), JSON.stringify(collection));
    await run(path.join(PACKAGE, 'node_modules/.bin/newman'), [
      ...['run', inFolder('collection.json'), '--env-var', `baseUrl=${address}`, '--env-var', `token=${token}`],
      ...['--reporters', 'json', '--reporter-json-export', inFolder('run.json')],
    ]);
    const ran = JSON.parse(await readFile(inFolder('run.json'), 'utf8')) as Run; // reason: as Newman writes it
    const faults = faultsOf(items, ran);
    if (items.length === 0) throw new Error('the collection is empty');
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return undefined;
  });
  await rm(folder, { recursive: true });
  return { name: NEWMAN, version: await typescript.versionOf('newman'), cells: new Map([['every request', requests]]) };
};
