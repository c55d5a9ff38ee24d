import { rowIn, revisionIn, command } from './command.js';
import { aRecord, askAny, type Asked, below, type Client, isDown, isLucky, oneOf, type Request } from './client.js';

export const BUSINESSES = '/api/v1/business';

/** One of these is a word of each name. */
export const WORDS = ['oak', 'elm', 'ash', 'fir'];
export const USERS = ['ann', 'bob', 'eve'];

export const newKey = ({ random }: Client): string => `"${random.uuid()}"`;

const nameOf = (client: Client, mark: string): string => `${mark} ${oneOf(client, WORDS) ?? ''}`;

/** Creates a business. */
export const create = async (client: Client): Promise<void> => {
  const mark = client.nextMark();
  const name = nameOf(client, mark);
  const request = { method: 'POST', path: BUSINESSES, body: { name, businessType: 'Lead' } };
  const isShownBy = (state: { readonly name: string }): boolean => state.name === name;
  const key = isLucky(client, 0.85) ? { key: newKey(client) } : {};
  const done = await command(client, { record: undefined, request, mark, ...key, isShownBy });
  if (done === undefined) return;
  client.told.records.Business.push(rowIn(done)._id);
  if (key.key !== undefined && isLucky(client, 0.3)) await repeat(client, request, mark, key.key, done);
};

/** Asks again with the same key: the answer is as it was. */
const repeat = async (client: Client, request: Request, mark: string, key: string, first: Asked): Promise<void> => {
  const { world, notes } = client;
  if (first.answer.status !== 200) return;
  await world.sleep(client.random.fraction() * (isLucky(client, 0.5) ? 10 : 12_000));
  const headers = { ...request.headers, 'change-reason': mark, 'idempotency-key': key };
  const again = await askAny(client, { ...request, headers });
  if (again === undefined) return;
  notes.count('a command is repeated');
  const { status, text, headers: answered } = again.answer;
  if (status !== 200 || text !== first.answer.text || answered.etag !== first.answer.headers.etag)
    notes.breaks(`${mark} was answered ${first.answer.text}, and ${status} ${text} when it was repeated`);
  if (answered['idempotent-replayed'] !== 'true') notes.breaks(`${mark} was carried out when it was repeated`);
};

/** Asks for something else with the same key: it is refused, and not written. */
const reuseKey = async (client: Client, request: Request, mark: string, key: string): Promise<void> => {
  const { told, notes, world } = client;
  const other = client.nextMark();
  const began = world.now();
  const [reason, body] = isLucky(client, 0.5) ? [other, request.body] : [mark, { ...request.body, name: other }];
  const asked = await askAny(client, {
    ...request,
    body,
    headers: { ...request.headers, 'change-reason': reason, 'idempotency-key': key },
  });
  told.commands.push({ mark: other, record: undefined, began, ended: world.now(), outcome: 'Refused' });
  if (asked === undefined) return;
  notes.count('a key comes with another request');
  const { status, text } = asked.answer;
  if (status !== 422)
    notes.breaks(`the key of ${mark} came with another request, which was answered ${status} ${text}`);
};

/** Changes the name of a business: alone, at once with the same key, or again. */
export const rename = async (client: Client): Promise<void> => {
  const record = aRecord(client, 'Business');
  if (record === undefined) return create(client);
  const mark = client.nextMark();
  const name = nameOf(client, mark);
  const path = `${BUSINESSES}/${record}`;
  const request = { method: 'PUT', path, body: { name } };
  const isShownBy = (state: { readonly name: string }): boolean => state.name === name;
  if (isLucky(client, 0.15)) {
    await command(client, { record, request, mark, isShownBy });
    return;
  }
  // a key belongs to its path
  const key =
    (isLucky(client, 0.1) ? [...client.keys].find(([other]) => other !== path)?.[1] : undefined) ?? newKey(client);
  const isTwice = isLucky(client, 0.2);
  const twin = isTwice ? askTwin(client, request, mark, key) : undefined;
  const done = await command(client, { record, request, mark, key, isShownBy });
  const other = await twin;
  if (done === undefined) return;
  client.keys.set(path, key);
  if (other?.answer.status === 200 && other.answer.text !== done.answer.text)
    client.notes.breaks(`${mark} was answered ${done.answer.text} and ${other.answer.text}`);
  if (isLucky(client, 0.2)) await repeat(client, request, mark, key, done);
  else if (done.answer.status === 200 && isLucky(client, 0.1)) await reuseKey(client, request, mark, key);
};

/** The same request with the same key, at the same time. */
const askTwin = async (client: Client, request: Request, mark: string, key: string): Promise<Asked | undefined> => {
  client.notes.count('a command is sent twice at once');
  return askAny(client, { ...request, headers: { 'change-reason': mark, 'idempotency-key': key } });
};

/** Changes a business only as it was read; others may have, too. */
export const renameAsRead = async (client: Client): Promise<void> => {
  const record = aRecord(client, 'Business');
  if (record === undefined) return create(client);
  const path = `${BUSINESSES}/${record}`;
  const read = await askAny(client, { method: 'GET', path });
  const expected = read?.answer.status === 200 ? revisionIn(read) : undefined;
  if (expected === undefined) return;
  const one = async (): Promise<void> => {
    const mark = client.nextMark();
    const name = nameOf(client, mark);
    const key = isLucky(client, 0.5) ? { key: newKey(client) } : {};
    const request = { method: 'PUT', path, body: { name } };
    await command(client, { record, request, mark, expected, ...key, isShownBy: (state) => state.name === name });
  };
  client.notes.count('a record is changed as it was read');
  await Promise.all(Array.from({ length: isLucky(client, 0.5) ? 2 : 1 }, one));
};

/** Changes several businesses at once, some of them the same. */
export const renameMany = async (client: Client): Promise<void> => {
  client.notes.count('several changes at once');
  await Promise.all(
    Array.from({ length: 2 + below(client, 3) }, async () => {
      const record = aRecord(client, 'Business');
      if (record === undefined) return;
      const mark = client.nextMark();
      const name = nameOf(client, mark);
      const request = { method: 'PUT', path: `${BUSINESSES}/${record}`, body: { name } };
      const isShownBy = (state: { readonly name: string }): boolean => state.name === name;
      await command(client, { record, request, mark, key: newKey(client), isShownBy });
    }),
  );
};

/** Adds an owner, changes his title, or removes him. */
export const changeOwner = async (client: Client): Promise<void> => {
  const record = aRecord(client, 'Business');
  const user = oneOf(client, USERS) ?? '';
  const mark = client.nextMark();
  const path = `${BUSINESSES}/${record ?? ''}/owner`;
  const has = (state: { readonly owners: Readonly<Record<string, string>> }): boolean => state.owners[user] === mark;
  const ways = [
    { request: { method: 'POST', path, body: { user, title: mark } }, isShownBy: has },
    { request: { method: 'PUT', path: `${path}/${user}`, body: { title: mark } }, isShownBy: has },
    {
      request: { method: 'DELETE', path: `${path}/${user}` },
      isShownBy: ({ owners }: { readonly owners: Readonly<Record<string, string>> }) => owners[user] === undefined,
    },
  ];
  const way = oneOf(client, [...ways.slice(0, 1), ...ways]);
  if (record === undefined || way === undefined) return create(client);
  client.notes.count('an owner is changed');
  const key = newKey(client);
  const done = await command(client, { record, mark, user, key, ...way });
  if (done !== undefined && isLucky(client, 0.15)) await repeat(client, way.request, mark, key, done);
};

/** Deletes a business, with the key of a change of it where there was one: that is another command. */
export const remove = async (client: Client): Promise<void> => {
  const record = aRecord(client, 'Business');
  if (record === undefined) return create(client);
  const path = `${BUSINESSES}/${record}`;
  const key = client.keys.get(path) ?? newKey(client);
  const mark = client.nextMark();
  const request = { method: 'DELETE', path };
  const done = await command(client, { record, request, mark, key, isShownBy: ({ isThere }) => !isThere });
  if (done?.answer.status === 200) client.notes.count('a business is deleted');
  if (done !== undefined && !isDown(done) && isLucky(client, 0.2)) await repeat(client, request, mark, key, done);
};
