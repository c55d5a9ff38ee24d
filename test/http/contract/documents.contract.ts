import { expect } from 'chai';
import { contentOf } from '../../support/bodies.js';
import { idOf, type Reply } from '../../support/client.js';
import { lifecycleIn } from '../../support/lifecycle.js';
import { FORM_TYPE, formOf, type Part } from '../../support/multipart-form.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

const field = (name: string, content: string): Part => ({ name, content });
const file = (content: string | Buffer = 'content', filename = 'a.txt', type = 'text/plain'): Part => ({
  name: 'file',
  filename,
  type,
  content,
});

/** What is promised of documents. */
export const documentsContract = ({ stack, call }: StackOfSuite): Mocha.Suite =>
  describe('documents over HTTP', () => {
    let editor: string;
    before(() => {
      editor = stack().tokenFor('editor', 'ed');
    });

    const sendForm = (method: 'POST' | 'PUT', path: string, parts: ReadonlyArray<Part>): Promise<Reply> =>
      call(method, path, { as: editor, body: formOf(...parts), headers: { 'content-type': FORM_TYPE } });

    const eventsOf = async (id: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
      const { json } = await call('GET', `/document/${id}/events`, { as: editor });
      return json as ReadonlyArray<Record<string, unknown>>;
    };

    const withoutTimes = (reply: Reply): unknown => {
      const { _id, uploadedAt, generatedAt, ...rest } = reply.json as Record<string, unknown>;
      return { ...rest, hasId: typeof _id, isUploaded: uploadedAt !== null, isGenerated: generatedAt !== null };
    };

    it('are created with their file and fields', async () => {
      const reply = await sendForm('POST', '/document/', [
        field('name', 'Lease'),
        field('tags', 'a, b'),
        file(contentOf(70_000), 'größe.bin', 'application/x-thing'),
        field('type', 'Business'),
        field('unknown', 'x'),
      ]);
      expect([reply.status, reply.headers.get('etag')]).to.deep.equal([200, '"0"']);
      expect(reply.headers.get('location')).to.equal(`/api/v1/document/${idOf(reply)}`);
      expect(withoutTimes(reply)).to.deep.equal({
        ...lifecycleIn(reply, 0),
        type: 'Business',
        entityType: 'Business',
        entity: null,
        tags: ['a', 'b'],
        name: 'Lease',
        originalName: 'größe.bin',
        description: null,
        uploadedBy: 'ed',
        generatedBy: null,
        mimeType: 'application/x-thing',
        size: 70_000,
        hasId: 'string',
        isUploaded: true,
        isGenerated: false,
      });
    });

    it('are created without a file by JSON, and get one later', async () => {
      const reply = await call('POST', '/document/', { as: editor, body: { name: 'Lease', type: 'Lead' } });
      expect(withoutTimes(reply)).to.deep.equal({
        ...lifecycleIn(reply, 0),
        type: 'Lead',
        entityType: 'Lead',
        entity: null,
        tags: [],
        name: 'Lease',
        originalName: null,
        description: null,
        uploadedBy: null,
        generatedBy: 'ed',
        mimeType: null,
        size: null,
        hasId: 'string',
        isUploaded: false,
        isGenerated: true,
      });
      const later = await sendForm('PUT', `/document/${idOf(reply)}`, [file()]);
      expect([later.status, (later.json as { size: number }).size]).to.deep.equal([200, 7]);
    });

    it('are neither created nor changed by JSON that has a file, which would be lost', async () => {
      const one = `/document/${idOf(await call('POST', '/document', { as: editor, body: { name: 'Lease' } }))}`;
      const message =
        'expected null: JSON brings no file; send it as multipart/form-data, or by PUT /api/v1/document/{documentId}/file';
      for (const lost of [{}, [], 'data:text/plain;base64,YQ==', ' ', 0, false, true])
        for (const [method, path] of [
          ['POST', '/document'],
          ['PUT', one],
        ] as const) {
          const { status, json } = await call(method, path, {
            as: editor,
            body: { name: 'Rent', tags: 5, file: lost },
          });
          const { errors } = json as { readonly errors: ReadonlyArray<{ readonly path: string }> };
          expect([status, errors.map((fault) => fault.path)]).to.deep.equal([400, ['tags', 'file']]);
          expect(errors[1]).to.deep.equal({ path: 'file', message });
        }
      expect((await eventsOf(one.replace('/document/', ''))).length).to.equal(1);
    });

    it('are created and changed by JSON whose file is none, in strict handling too', async () => {
      for (const prefer of ['handling=lenient', 'handling=strict'])
        for (const none of [null, '']) {
          const given = { as: editor, headers: { prefer, 'idempotency-key': `none ${prefer}`.replace(' ', '-') } };
          const first = await call('POST', '/document', { ...given, body: { name: 'Lease' } });
          const again = await call('POST', '/document', { ...given, body: { name: 'Lease', file: none } });
          expect([again.status, again.text]).to.deep.equal([200, first.text]);
          const one = `/document/${idOf(first)}`;
          const kept = await call('PUT', one, { as: editor, headers: { prefer }, body: { file: none } });
          expect([kept.status, kept.headers.get('etag')]).to.deep.equal([200, '"0"']);
        }
    });

    it('say what they take where they are sent as another type', async () => {
      const one = `/document/${idOf(await call('POST', '/document', { as: editor, body: { name: 'Lease' } }))}`;
      for (const [method, path] of [
        ['POST', '/document'],
        ['PUT', one],
      ] as const) {
        const headers = { 'content-type': 'application/pdf' };
        const { status, json, headers: told } = await call(method, path, { as: editor, headers, body: '%PDF-1.7' });
        expect([status, told.get('accept'), (json as { readonly message: string }).message]).to.deep.equal([
          415,
          'multipart/form-data, application/json',
          'The body must be multipart/form-data or application/json; PUT of /file behind a document takes any file',
        ]);
      }
    });

    it('take one event for one update of fields and file, and keep the old version', async () => {
      const id = idOf(await sendForm('POST', '/document/', [field('name', 'Lease'), file('one')]));
      const reply = await sendForm('PUT', `/document/${id}`, [
        file('two', 'b.txt'),
        field('name', 'Rent'),
        field('description', 'x\ny'),
      ]);
      expect([reply.status, reply.headers.get('etag')]).to.deep.equal([200, '"1"']);
      expect((await eventsOf(id)).map(({ type, message }) => [type, message])).to.deep.equal([
        ['created', 'document created with a file'],
        ['updated', 'file, description and name updated'],
      ]);
      const contentAt = async (revision: number) =>
        (await call('GET', `/document/${id}/file?revision=${revision}`)).text;
      expect([await contentAt(0), await contentAt(1)]).to.deep.equal(['one', 'two']);
    });
  });
