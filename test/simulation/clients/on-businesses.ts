import { command } from './command.js';
import { keyFor, newKey, repeat } from './repeating.js';
import { USERS } from './users.js';
import { revisionIn, rowIn } from './seen.js';
import type { State } from '../checks/states.js';
import { below, isLucky, oneOf } from '../chance.js';
import { aRecord, askAny, type Asked, type Client, isOfErased, mayBeErased, recordIn, type Request } from './client.js';

export const BUSINESSES = '/api/v1/business';

/** One of these is a word of each name. */
export const WORDS = ['oak', 'elm', 'ash', 'fir'];

const nameOf = (client: Client, mark: string): string => `${mark} ${oneOf(client, WORDS) ?? ''}`;

/** A name, and in half of the cases a phone, and whether a record shows them. */
const fieldsFor = (client: Client, mark: string) => {
  const name = nameOf(client, mark);
  const phone = isLucky(client, 0.5) ? mark : undefined;
  const isShownBy = (state: Pick<State, 'name' | 'note'>): boolean =>
    state.name === name && (phone === undefined || state.note === phone);
  return { fields: phone === undefined ? { name } : { name, phone }, isShownBy };
};

/** Creates a business. */
export const create = async (client: Client): Promise<void> => {
  const mark = client.nextMark();
  const { fields, isShownBy } = fieldsFor(client, mark);
  const request = { method: 'POST', path: BUSINESSES, body: { ...fields, businessType: 'Lead' } };
  const key = isLucky(client, 0.6) ? { key: newKey(client) } : {};
  const done = await command(client, { record: undefined, request, mark, ...key, isShownBy });
  if (done === undefined) return;
  client.told.records.Business.push(rowIn(done)._id);
  if (key.key !== undefined && isLucky(client, 0.3)) repeat(client, request, mark, key.key, done);
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
  if (status !== 422 && !(isOfErased(asked.answer) && mayBeErased(client, recordIn(request.path))))
    notes.breaks(`the key of ${mark} came with another request, which was answered ${status} ${text}`);
};

/** Changes the name of a business: alone, at once with the same key, or again. */
export const rename = async (client: Client): Promise<void> => {
  const record = aRecord(client, 'Business');
  if (record === undefined) return create(client);
  const mark = client.nextMark();
  const { fields, isShownBy } = fieldsFor(client, mark);
  const path = `${BUSINESSES}/${record}`;
  const request = { method: 'PUT', path, body: fields };
  if (isLucky(client, 0.15)) {
    await command(client, { record, request, mark, isShownBy });
    return;
  }
  const key = keyFor(client, request, 0.1);
  const isTwice = isLucky(client, 0.2);
  const twin = isTwice ? askTwin(client, request, mark, key) : undefined;
  const done = await command(client, { record, request, mark, key, isShownBy });
  const other = await twin;
  if (done === undefined) return;
  if (other?.answer.status === 200 && other.answer.text !== done.answer.text && !mayBeErased(client, record))
    client.notes.breaks(`${mark} was answered ${done.answer.text} and ${other.answer.text}`);
  if (isLucky(client, 0.2)) repeat(client, request, mark, key, done);
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

/** Changes a business several times, each time as it was left: wherever that is asked for, nothing stands against it. */
export const renameOnAndOn = async (client: Client): Promise<void> => {
  const record = aRecord(client, 'Business');
  if (record === undefined) return create(client);
  let expected: number | undefined;
  for (let left = 2 + below(client, 2); left > 0; left -= 1) {
    const mark = client.nextMark();
    const name = nameOf(client, mark);
    const request = { method: 'PUT', path: `${BUSINESSES}/${record}`, body: { name } };
    const isShownBy = (state: { readonly name: string }): boolean => state.name === name;
    const condition = expected === undefined ? {} : { expected };
    const key = isLucky(client, 0.5) ? { key: newKey(client) } : {};
    const done = await command(client, { record, request, mark, ...key, ...condition, isShownBy });
    if (done?.answer.status !== 200) return;
    expected = revisionIn(done);
  }
  client.notes.count('a record is changed as it was left');
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
  const key = keyFor(client, way.request, 0.3);
  const done = await command(client, { record, mark, user, key, ...way });
  if (done !== undefined && isLucky(client, 0.15)) repeat(client, way.request, mark, key, done);
};
