import { expect } from 'chai';
import { readsRoutes } from '../../src/http/audit/routes.js';
import type { AccessPageRequest } from '../../src/read/access/access-record.js';
import { makeMemoryAccessRecord } from '../support/memory-access-record.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { aRead } from '../support/reads.js';

/** More than two pages of 500. */
const ROWS = 1_200;

const ENTITY = '0198f0a0-0000-7000-8000-000000000001';

const shown = (id: number) => ({
  id,
  at: new Date(id * 1_000).toISOString(),
  user: id % 3 === 0 ? 'ann' : '=bob',
  operation: 'listBusinessEvents',
  ...(id % 2 === 0 ? { entityType: 'Business', entity: ENTITY } : { entityType: null, entity: null }),
  what: `from=${id}`,
  form: 'json',
  requestId: id % 5 === 0 ? null : 'r',
});

const all = Array.from({ length: ROWS }, (_, n) => shown(n + 1));

describe('who read what', () => {
  const record = makeMemoryAccessRecord();
  let stack: MemoryStack;
  let asked: Array<AccessPageRequest>;

  before(async () => {
    const rows = all.map(({ at, user, operation, entityType, entity, what, form, requestId }) => {
      const { record: of, requestId: _, ...read } = aRead({ at: new Date(at), user, operation, what, form });
      return {
        ...read,
        ...(entityType === null ? {} : { record: { entityType, entity } }),
        ...(requestId === null ? {} : { requestId }),
      };
    });
    await record.add(rows);
    const page: typeof record.page = (request) => {
      asked.push(request);
      return record.page(request);
    };
    stack = await startMemoryStack({ routes: readsRoutes({ ...record, page }) });
  });
  after(() => stack.stop());
  beforeEach(() => {
    asked = [];
  });

  const get = (query: string, Accept = 'application/json', role = 'auditor'): Promise<Response> =>
    fetch(`${stack.baseUrl}/audit/v1/reads${query}`, {
      headers: { Authorization: `Bearer ${stack.tokenFor(role)}`, Accept },
    });
  const list = async (query: string): Promise<unknown> => (await get(query)).json();

  it('is shown to auditors and admins, and not to an editor, who is among those that are shown', async () => {
    for (const [role, status] of [
      ['auditor', 200],
      ['admin', 200],
      ['editor', 401],
      ['viewer', 401],
    ] as const)
      expect((await get('?limit=1', undefined, role)).status, role).to.equal(status);
  });

  it('comes whole, in pages of the record, in either order', async () => {
    expect(await list('')).to.deep.equal(all);
    expect(asked.map(({ after }) => after)).to.deep.equal([undefined, 500n, 1_000n]);
    expect(await list('?order=desc')).to.deep.equal(all.toReversed());
  });

  it('ends with the newest row of its beginning: what is added meanwhile is not in it', async () => {
    await list('');
    expect(asked.map(({ upTo }) => upTo)).to.deep.equal([BigInt(ROWS), BigInt(ROWS), BigInt(ROWS)]);
  });

  it('comes in pages, each of which leads to the next', async () => {
    const first = await get('?limit=2&user=ann');
    expect(await first.json()).to.deep.equal([shown(3), shown(6)]);
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await get(link);
    expect(await second.json()).to.deep.equal([shown(9), shown(12)]);
    expect((await get(`?limit=1&order=desc&after=2`)).headers.get('link')).to.equal(null);
  });

  for (const [query, isIn] of [
    ['user=ann', ({ user }) => user === 'ann'],
    ['entityType=Business', ({ entityType }) => entityType === 'Business'],
    ['entityType=Document,Business', ({ entityType }) => entityType === 'Business'],
    [`entity=${ENTITY}`, ({ entity }) => entity === ENTITY],
    ['operation=listBusinessEvents', () => true],
    ['operation=getBusiness', () => false],
    ['since=1970-01-01T00:10:00Z', ({ id }) => id >= 600],
    ['until=1970-01-01T00:10:00Z&user=ann', ({ id, user }) => id < 600 && user === 'ann'],
  ] satisfies ReadonlyArray<readonly [string, (row: ReturnType<typeof shown>) => boolean]>)
    it(`is narrowed by ${query}`, async () => {
      expect(await list(`?${query}`)).to.deep.equal(all.filter(isIn));
    });

  it('is one object a line, or a table in which no cell begins a formula', async () => {
    const lines = (await (await get('?limit=2', 'application/x-ndjson')).text()).split('\n');
    expect(lines).to.deep.equal([JSON.stringify(shown(1)), JSON.stringify(shown(2)), '']);
    const table = await get('?limit=2&after=3', 'text/csv');
    expect(table.headers.get('content-type')).to.equal('text/csv; charset=utf-8; header=present');
    const text = await table.text();
    expect(text.split('\r\n')).to.deep.equal([
      'id,at,user,operation,entityType,entity,what,form,requestId',
      `4,1970-01-01T00:00:04.000Z,'=bob,listBusinessEvents,Business,${ENTITY},from=4,json,r`,
      "5,1970-01-01T00:00:05.000Z,'=bob,listBusinessEvents,,,from=5,json,",
      '',
    ]);
    expect(await (await get('?limit=2&after=3&bom=true', 'text/csv')).text()).to.equal(text);
    expect((await get('?bom=true')).status).to.equal(400);
  });

  it('refuses every other parameter and names it', async () => {
    const refused = await get('?username=ann&ref=x');
    const { errors } = (await refused.json()) as { readonly errors: ReadonlyArray<{ readonly path: string }> };
    expect([refused.status, errors.map(({ path }) => path)]).to.deep.equal([400, ['username', 'ref']]);
  });
});
