import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as business from '../../src/http/business/examples.js';
import { callerExample } from '../../src/http/caller/routes.js';
import * as document from '../../src/http/document/examples.js';
import { businessOperations } from '../../src/http/business/operations.js';
import { documentOperations } from '../../src/http/document/operations.js';
import { failureExamples } from '../../src/http/openapi/failure-examples.js';
import { type Call, callerOf, idOf, type Reply } from '../support/client.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

/** What is another one in every run. */
const CHANGING = ['_id', 'entity', 'at', 'hash', 'createdAt', 'updatedAt', 'generatedAt', 'uploadedAt'];
const OF_THE_RUN = [...CHANGING, 'key', 'requestId'];

/** A value with a mark in place of what is another one in every run, where there is any. */
const lasting = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, member: unknown) =>
      OF_THE_RUN.includes(key) && typeof member === 'string' ? `some ${key}` : member,
    ),
  );

const same = ({ json }: Reply, example: unknown): void => {
  expect(lasting(json)).to.deep.equal(lasting(example));
};

describe('the examples of the API description', () => {
  let stack: MemoryStack;
  before(async () => {
    stack = await startMemoryStack({ maxUploadBytes: 1_000 });
  });
  after(() => stack.stop());

  const call = callerOf(() => stack);
  const send = (method: string, path: string, given: Call = {}): Promise<Reply> =>
    call(method, path, { as: stack.tokenFor('admin'), ...given });

  it('are what is answered about a business, from its creation on', async () => {
    const { createBusiness, updateBusiness, addOwner, updateOwner, revertBusiness } = businessOperations;
    const created = await send('POST', '/business', { body: createBusiness.body.example });
    same(created, business.businessExample);
    const path = `/business/${idOf(created)}`;
    same(await send('GET', '/business'), [business.businessExample]);
    same(await send('GET', path), business.businessExample);
    same(await send('PUT', path, { body: updateBusiness.body.example }), business.changedBusinessExample);
    same(await send('POST', `${path}/owner`, { body: addOwner.body.example }), business.ownerExample);
    same(await send('PUT', `${path}/owner/bob`, { body: updateOwner.body.example }), business.changedOwnerExample);
    same(await send('DELETE', `${path}/owner/bob`), business.changedOwnerExample);
    same(await send('DELETE', path), business.deletedBusinessExample);
    same(await send('POST', `${path}/restore`), business.restoredBusinessExample);
    same(await send('POST', `${path}/revert`, { body: revertBusiness.body.example }), business.revertedBusinessExample);
    same(await send('GET', `${path}/events`), business.historyExample);
  });

  it('are what is answered about a document', async () => {
    const { createDocument, updateDocument, revertDocument } = documentOperations;
    const form = new FormData();
    for (const [name, value] of Object.entries(createDocument.body.form.example)) form.set(name, value);
    form.set('file', new Blob(['%PDF-1.7\n']), 'articles.pdf');
    const encoded = new Response(form);
    const created = await send('POST', '/document', {
      headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
      body: Buffer.from(await encoded.arrayBuffer()),
    });
    same(created, document.documentExample);
    const path = `/document/${idOf(created)}`;
    same(await send('GET', '/document'), [document.documentExample]);
    same(await send('GET', path), document.documentExample);
    same(await send('PUT', path, { body: updateDocument.body.example }), document.changedDocumentExample);
    same(await send('DELETE', path), document.deletedDocumentExample);
    same(await send('POST', `${path}/restore`), document.restoredDocumentExample);
    same(await send('POST', `${path}/revert`, { body: revertDocument.body.example }), document.revertedDocumentExample);
    same(await send('GET', `${path}/events`), document.historyExample);
  });

  it('are what is answered to a file by itself', async () => {
    const { name, tags } = document.documentExample;
    const path = `/document/${idOf(await send('POST', '/document', { body: { name, tags } }))}`;
    const file = { body: '%PDF-1.7\n', headers: { 'content-type': 'application/octet-stream' } };
    same(await send('PUT', `${path}/file?originalName=articles.pdf`, file), document.filedDocumentExample);
  });

  it('are what is answered about the caller', async () => {
    const usual = await startMemoryStack({ maxUploadBytes: callerExample.limits.uploadBytes });
    const { json } = await callerOf(() => usual)('GET', '/me', { as: usual.tokenFor('editor') });
    await usual.stop();
    expect({ ...(json as object), expiresAt: callerExample.expiresAt }).to.deep.equal(callerExample);
  });

  it('are what is answered to requests that fail', async () => {
    const created = await send('POST', '/business', { body: { name: 'a' }, headers: { 'Idempotency-Key': 'one' } });
    const path = `/business/${idOf(created)}`;
    const owner = { user: 'bob' };
    await send('POST', `${path}/owner`, { body: owner });
    const file = `/document/${idOf(await send('POST', '/document', { body: { name: 'a' } }))}`;
    const form = new FormData();
    form.set('name', 'a');
    form.set('file', new Blob(['abc']), 'a.txt');
    const encoded = new Response(form);
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
    const uploaded = Buffer.from(await encoded.arrayBuffer());
    await send('PUT', file, { headers, body: uploaded });
    const failed: Array<Reply> = [
      await send('POST', '/business', { body: { netWorth: 'much' } }),
      await call('GET', '/business'),
      await send('GET', '/business/none'),
      await send('POST', `${path}/owner`, { body: owner }),
      await send('PUT', path, { body: { name: 'b' }, headers: { 'If-Match': '"7"' } }),
      await send('PUT', path, { body: { name: 'x'.repeat(300_000) } }),
      await send('PUT', path, { body: 'name: b', headers: { 'content-type': 'text/yaml' } }),
      await send('GET', `${file}/file`, { headers: { Range: 'bytes=3-' } }),
      await send('POST', '/business', { body: { name: 'b' }, headers: { 'Idempotency-Key': 'one' } }),
    ];
    const limited = await startMemoryStack({ rateLimit: 1 });
    const again = () => callerOf(() => limited)('GET', '/business', { as: limited.tokenFor('admin') });
    await again();
    failed.push(await again());
    await limited.stop();
    const [lost, away] = [
      { _tag: 'FileMissing', reason: 'lost' },
      { _tag: 'FileUnavailable', cause: new Error('away') },
    ] as const;
    for (const failure of [lost, away]) {
      const open = () => Promise.resolve(E.left(failure));
      const failing = await startMemoryStack({ ports: ({ storage }) => ({ storage: { ...storage, open } }) });
      const ask = callerOf(() => failing);
      const as = failing.tokenFor('admin');
      const stored = idOf(await ask('POST', '/document', { as, headers, body: uploaded }));
      failed.push(await ask('GET', `/document/${stored}/file`, { as }));
      await failing.stop();
    }
    for (const reply of failed) same(reply, failureExamples[reply.status]);
    expect(failed.map(({ status }) => String(status))).to.deep.equal(Object.keys(failureExamples));
  });
});
