import { expect } from 'chai';
import { idOf } from '../../support/client.js';
import { errorIn } from '../../support/error-in.js';
import { lifecycleIn } from '../../support/lifecycle.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

const unset = {
  businessType: null,
  name: null,
  dba: null,
  displayname: null,
  email: null,
  phone: null,
  website: null,
  netWorth: null,
  revenue: null,
  ein: null,
  parent: null,
  line1: null,
  line2: null,
  city: null,
  state: null,
  zip: null,
  country: null,
  owners: [],
};

const sample = {
  name: 'Acme Ltd.',
  displayName: 'Acme',
  businessType: 'CORPORATION',
  dba: 'Acme',
  ein: '12-3456789',
  phone: '+1 555 0100',
  website: 'https://acme.example',
  parent: '5f9f1b9b9b9b9b9b9b9b9b9b',
};

const { displayName, ...shown } = sample;
const sampleShown = { ...unset, ...shown, displayname: displayName };

/** What is promised of businesses. */
export const businessesContract = ({ call }: StackOfSuite): Mocha.Suite =>
  describe('businesses over HTTP', () => {
    const create = async (body: object): Promise<string> => idOf(await call('POST', '/business/', { body }));

    it('creates a business from the printed sample and answers it under a new id', async () => {
      const reply = await call('POST', '/business/', { body: sample });
      expect(reply.status).to.equal(200);
      expect(reply.json).to.deep.equal({ ...sampleShown, _id: idOf(reply), ...lifecycleIn(reply, 0) });
      expect(idOf(reply)).to.match(/^[0-9a-f-]{36}$/);
      expect(reply.headers.get('location')).to.equal(`/api/v1/business/${idOf(reply)}`);
      expect(reply.headers.get('etag')).to.equal('"0"');
      expect(reply.headers.get('x-projected')).to.equal(null);
    });

    it('gives what it was given, with a trailing slash and without', async () => {
      const id = await create(sample);
      for (const path of [`/business/${id}`, `/business/${id}/`]) {
        const reply = await call('GET', path);
        expect([reply.status, reply.json]).to.deep.equal([200, { ...sampleShown, _id: id, ...lifecycleIn(reply, 0) }]);
        expect(reply.headers.get('cache-control')).to.equal('private, no-cache');
      }
    });

    it('merges an update: absent keeps, null clears', async () => {
      const id = await create(sample);
      const reply = await call('PUT', `/business/${id}`, { body: { phone: null, city: 'Paris', netWorth: 1.5 } });
      const changed = { phone: null, city: 'Paris', netWorth: 1.5, ...lifecycleIn(reply, 1) };
      expect(reply.json).to.deep.equal({ ...sampleShown, _id: id, ...changed });
      expect(reply.headers.get('etag')).to.equal('"1"');
      expect((await call('GET', `/business/${id}`)).json).to.deep.equal(reply.json);
    });

    it('keeps the revision when an update changes nothing, or has no body at all', async () => {
      const id = await create({ name: 'a' });
      const same = await call('PUT', `/business/${id}`, { body: { name: 'a' } });
      const empty = await call('PUT', `/business/${id}`);
      for (const { status, headers } of [same, empty])
        expect([status, headers.get('etag')]).to.deep.equal([200, '"0"']);
    });

    it('lets a client edit and send back what it was given', async () => {
      const id = await create(sample);
      const { json } = await call('GET', `/business/${id}`);
      const edited = { ...(json as object), name: 'Edited', owners: [{ user: 'mallory' }], _id: 'x' };
      const reply = await call('PUT', `/business/${id}`, { body: edited });
      expect(reply.json).to.deep.equal({ ...sampleShown, _id: id, name: 'Edited', ...lifecycleIn(reply, 1) });
    });

    it('refuses a business as its own parent', async () => {
      const id = await create({ name: 'a' });
      const reply = await call('PUT', `/business/${id}`, { body: { parent: id } });
      expect([reply.status, errorIn(reply.json)]).to.deep.equal([
        400,
        {
          name: 'Validation Error',
          message: 'The request is not valid',
          status: 400,
          code: 'parent_is_itself',
          errors: [{ path: 'parent', message: 'must not be the business itself' }],
        },
      ]);
    });

    it('answers the last state of a business it deletes, which is gone then for all but its history', async () => {
      const id = await create(sample);
      const reply = await call('DELETE', `/business/${id}`);
      expect([reply.status, reply.json]).to.deep.equal([200, { ...sampleShown, _id: id, ...lifecycleIn(reply, 1) }]);
      const calls = [
        call('GET', `/business/${id}`),
        call('PUT', `/business/${id}`, { body: { name: 'b' } }),
        call('DELETE', `/business/${id}`),
        call('POST', `/business/${id}/owner`, { body: { user: 'bob' } }),
      ];
      for (const { status, json } of await Promise.all(calls))
        expect([status, errorIn(json)]).to.deep.equal([
          404,
          { name: 'Entity not found', message: 'Entity not found', status: 404, code: 'business_not_found' },
        ]);
      const events = await call('GET', `/business/${id}/events`);
      expect((events.json as ReadonlyArray<{ type: string }>).map(({ type }) => type)).to.deep.equal([
        'created',
        'deleted',
      ]);
      const past = await call('GET', `/business/${id}?revision=0`);
      expect(past.json).to.deep.equal({ ...sampleShown, _id: id, ...lifecycleIn(past, 0) });
      expect((await call('GET', `/business/${id}?revision=1`)).status).to.equal(404);
    });

    it('shows earlier states by revision and by instant', async () => {
      const id = await create({ name: 'first' });
      await call('PUT', `/business/${id}`, { body: { name: 'second' } });
      const events = (await call('GET', `/business/${id}/events`)).json as ReadonlyArray<{ at: string }>;
      const past = await call('GET', `/business/${id}?revision=0`);
      expect(past.json).to.deep.equal({ ...unset, _id: id, name: 'first', ...lifecycleIn(past, 0) });
      expect(past.headers.get('etag')).to.equal('"0"');
      const at = await call('GET', `/business/${id}?at=${events[1]!.at}`);
      expect(at.json).to.deep.equal({ ...unset, _id: id, name: 'second', ...lifecycleIn(at, 1) });
      expect((await call('GET', `/business/${id}?at=2001-01-01T00:00:00Z`)).status).to.equal(404);
      expect((await call('GET', `/business/${id}?revision=2`)).status).to.equal(404);
    });

    it('tells every fault of a body and of its headers at once', async () => {
      const { status, json } = await call('POST', '/business/', {
        body: { netWorth: '', website: 'javascript:alert(1)' },
        headers: { 'idempotency-key': 'has space', 'if-match': 'bare' },
      });
      const { errors, ...problem } = errorIn(json) as { errors: ReadonlyArray<{ path: string; message: string }> };
      expect([status, problem]).to.deep.equal([
        400,
        { name: 'Validation Error', message: 'The request is not valid', status: 400, code: 'validation_failed' },
      ]);
      expect(errors.map(({ path }) => path)).to.have.members([
        'Idempotency-Key',
        'If-Match',
        'netWorth',
        'website',
        'name',
      ]);
    });
  });
