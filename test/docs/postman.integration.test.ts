import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Paths } from '../support/conforms.js';
import { stackOfSuite } from '../support/stack-of-suite.js';

const EXAMPLE = /<!-- example: postman -->\n\n```sh\n([\s\S]*?)```/;

type Described = {
  readonly paths: Paths<{
    readonly security: ReadonlyArray<object>;
    readonly requestBody?: { readonly content: object };
  }>;
};

type Field = { readonly key: string; readonly value: string; readonly disabled?: boolean };

type Request = {
  readonly method: string;
  readonly auth?: { readonly type: string };
  readonly header: ReadonlyArray<Field>;
  readonly url: { readonly raw: string; readonly variable: ReadonlyArray<Field>; readonly query: ReadonlyArray<Field> };
  readonly body?: { readonly mode: string; readonly raw?: string };
};

type Collection = {
  readonly variable: ReadonlyArray<Field>;
  readonly auth: object;
  readonly item: ReadonlyArray<{
    readonly name: string;
    readonly item: ReadonlyArray<{ readonly request: Request }>;
  }>;
};

describe('the Postman collection of docs/api.md', () => {
  const { stack } = stackOfSuite();
  let description: Described;
  let collection: Collection;
  let requests: ReadonlyArray<Request>;

  before(async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'postman-'));
    const written = path.join(directory, 'collection.json');
    const [, command = ''] = EXAMPLE.exec(await readFile('docs/api.md', 'utf8')) ?? [];
    expect(command).to.match(/ > collection\.json\n$/);
    const here = command.replace('http://localhost:3000', stack().baseUrl).replace('collection.json', `'${written}'`);
    await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', here]);
    // reason: it is what the tests below look at
    collection = JSON.parse(await readFile(written, 'utf8')) as Collection;
    description = (await (await fetch(`${stack().baseUrl}/openapi.json`)).json()) as Described;
    requests = collection.item.flatMap(({ item }) => item.map(({ request }) => request));
    await rm(directory, { recursive: true });
  });

  it('has every operation once for each media type of its body, with a token where it needs one', () => {
    const operations = Object.entries(description.paths).flatMap(([described, methods]) =>
      Object.entries(methods).flatMap(([method, { security, requestBody }]) => {
        const url = `{{baseUrl}}${described.replace(/\{(\w+)\}/g, ':$1')}`;
        const line = `${method.toUpperCase()} ${url} ${security.length > 0 ? 'token' : 'noauth'}`;
        return Object.keys(requestBody?.content ?? { none: {} }).map(() => line);
      }),
    );
    const made = requests.map(({ method, url, auth }) => `${method} ${url.raw} ${auth?.type ?? 'token'}`);
    expect(made.toSorted()).to.deep.equal(operations.toSorted());
    expect(collection.auth).to.deep.equal({
      type: 'bearer',
      bearer: [{ key: 'token', value: '{{token}}', type: 'string' }],
    });
    expect(collection.variable.map(({ key }) => key)).to.deep.equal(['baseUrl', 'token']);
  });

  it('has a value for each parameter of a path, and sends no other that nobody has switched on', () => {
    for (const { url, header } of requests) {
      const inPath = [...url.raw.matchAll(/\/:(\w+)/g)].map(([, name]) => name);
      expect(url.variable.map(({ key }) => key)).to.deep.equal(inPath);
      const sent = [...url.query, ...header].filter(({ disabled }) => disabled !== true).map(({ key }) => key);
      expect(sent.filter((key) => key !== 'Content-Type')).to.deep.equal([]);
    }
  });

  for (const [what, text] of [
    ['nothing', ''],
    ['a page', '<html></html>'],
    ['another object', '{}'],
  ] as const)
    it(`is not made of ${what}, and the command says so`, () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['deploy/postman.js'], {
        input: text,
        encoding: 'utf8',
      });
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/^The standard input is not the description of the API\. .*\n$/);
    });

  it('creates what its examples say', async () => {
    for (const resource of ['business', 'document']) {
      const request = requests.find(
        ({ method, url, body }) => method === 'POST' && url.raw.endsWith(`/api/v1/${resource}`) && body?.mode === 'raw',
      )!;
      const headers = Object.fromEntries(
        request.header.filter(({ disabled }) => disabled !== true).map(({ key, value }) => [key, value]),
      );
      const answer = await fetch(request.url.raw.replace('{{baseUrl}}', stack().baseUrl), {
        method: request.method,
        headers: { ...headers, Authorization: `Bearer ${stack().tokenFor('editor')}` },
        body: request.body?.raw ?? '',
      });
      expect(answer.status).to.equal(200);
      expect(await answer.json()).to.include({ revision: 0 });
    }
  });
});
