import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Api, makeApi } from '../support/api.js';
import { untilCaughtUp } from '../support/readiness.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import { together } from '../support/together.js';

type Business = {
  readonly _id: string;
  readonly name: string;
  readonly owners: ReadonlyArray<{ readonly user: string }>;
};
type Event = { readonly revision: number; readonly name: string };

const CLIENTS = 64;
const ROUNDS = 10;

describe('concurrency', function () {
  this.timeout(120_000);
  let dataDir: string;
  let service: ServiceProcess;
  let api: Api;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'concurrency-'));
    service = await startService({ dataDir });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
  });

  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    await rm(dataDir, { recursive: true });
  });

  it('loses nothing of 64 clients that change one business at once', async () => {
    const { _id } = await api.json<Business>('POST', '/business', { name: 'shared' });
    await together(CLIENTS, async (client) => {
      await api.json('POST', `/business/${_id}/owner`, { user: `user-${client}` });
      await api.json('PUT', `/business/${_id}/owner?ownerId=user-${client}`, { equity: client });
    });

    const { owners } = await api.json<Business>('GET', `/business/${_id}`);
    const events = await api.json<ReadonlyArray<Event>>('GET', `/business/${_id}/events`);
    const inOrder = [...owners].sort((one, other) => Number(one.user.slice(5)) - Number(other.user.slice(5)));
    expect(inOrder).to.deep.equal(
      Array.from({ length: CLIENTS }, (_, client) => ({ user: `user-${client}`, title: null, equity: client })),
    );
    // A first equity of 0 is a change, too: every call is one event.
    expect(events.map(({ revision }) => revision)).to.deep.equal(Array.from({ length: 129 }, (_, index) => index));
  });

  it('shows a write to every later GET, by id and in the list, under load', async () => {
    const stale: Array<string> = [];
    /** Rounds whose create was answered with the promise that lists show it. */
    let promised = 0;
    await together(CLIENTS, async (client) => {
      for (let round = 0; round < ROUNDS; round++) {
        const name = `client ${client} round ${round}`;
        const response = await api.send('POST', '/business', { name });
        const { _id } = (await response.json()) as Business; // reason: POST answers a business
        const isInLists = response.headers.get('X-Projected') === null;
        if (isInLists) promised += 1;
        const created = await api.json<Business>('GET', `/business/${_id}`);
        const listed = await api.json<ReadonlyArray<Business>>('GET', `/business?name=${encodeURIComponent(name)}`);
        await api.json('PUT', `/business/${_id}`, { name: `${name} renamed` });
        const renamed = await api.json<Business>('GET', `/business/${_id}`);
        await api.json('DELETE', `/business/${_id}`);
        const deleted = await api.send('GET', `/business/${_id}`);
        if (created.name !== name) stale.push(`${name}: created`);
        if (isInLists && listed.length !== 1) stale.push(`${name}: listed ${listed.length} times`);
        if (renamed.name !== `${name} renamed`) stale.push(`${name}: renamed`);
        if (deleted.status !== 404) stale.push(`${name}: deleted`);
      }
    });
    expect(stale).to.deep.equal([]);
    expect(promised).to.be.greaterThan((CLIENTS * ROUNDS) / 2);
  });

  it('gives 64 clients under one Idempotency-Key one business', async () => {
    const answers = await together(CLIENTS, async () => {
      const response = await api.send('POST', '/business', { name: 'once' }, { 'Idempotency-Key': 'the-same-key' });
      return [response.status, ((await response.json()) as Business)._id] as const; // reason: POST answers a business
    });
    expect(new Set(answers.map(([status]) => status))).to.deep.equal(new Set([200]));
    expect(new Set(answers.map(([, id]) => id)).size).to.equal(1);
    await untilCaughtUp(service, 'businesses');
    expect(await api.json<ReadonlyArray<Business>>('GET', '/business?name=once')).to.have.length(1);
  });
});
