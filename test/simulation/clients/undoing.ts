import { isDeepStrictEqual } from 'node:util';
import { foresees, isAlready, isDoneBy, type Preview, type Undo } from '../checks/undone.js';
import { below, isLucky, oneOf } from '../chance.js';
import { aRecord, askAny, type Client, isDown, mayBeErased, type Request } from './client.js';
import { command, readOfRefusal } from './command.js';
import { create } from './on-businesses.js';
import { PATHS } from './reading.js';
import { keyFor, repeat } from './repeating.js';
import type { Kind } from './told.js';

const nameOf = (kind: Kind): string => `a ${kind.toLowerCase()}`;

/** Deletes a business or a document. */
export const remove = async (client: Client): Promise<void> => {
  const kind = isLucky(client, 0.6) ? 'Business' : 'Document';
  const record = aRecord(client, kind);
  if (record === undefined) return create(client);
  const mark = client.nextMark();
  const request = { method: 'DELETE', path: `${PATHS[kind]}/${record}` };
  const key = keyFor(client, request, 0.8);
  const done = await command(client, { record, request, mark, key, isShownBy: ({ isThere }) => !isThere });
  if (done?.answer.status === 200) {
    client.told.deleted.push({ kind, record });
    client.notes.count(`${nameOf(kind)} is deleted`);
  }
  if (done !== undefined && !isDown(done) && isLucky(client, 0.2)) repeat(client, request, mark, key, done);
};

type Asking = { readonly kind: Kind; readonly record: string; readonly request: Request; readonly undo: Undo };

/** For how long somebody looks at a preview at most, ms. */
const LOOKED_AT_MS = 5_000;

/** Asks what would be done, which is never done by that. Gives what is foreseen. */
const previewOf = async (
  client: Client,
  { record, request, undo }: Asking,
  key: string,
): Promise<Preview | undefined> => {
  const { told, notes, world } = client;
  const mark = client.nextMark();
  const began = world.now();
  const asked = await askAny(client, {
    ...request,
    path: `${request.path}?preview=true`,
    headers: { 'change-reason': mark, 'idempotency-key': key },
  });
  told.commands.push({ mark, record, began, ended: world.now(), outcome: 'Refused' });
  if (asked === undefined) return undefined;
  const { status, text } = asked.answer;
  if (status !== 200) {
    const read = readOfRefusal({ record, request, ...undo }, asked);
    if (read === undefined) notes.breaks(`a preview was answered ${status} ${text}`);
    else told.reads.push(read);
    return undefined;
  }
  notes.count('a preview is given');
  // somebody looks at it
  await world.sleep(client.random.fraction() * LOOKED_AT_MS);
  const preview = JSON.parse(text) as Preview; // reason: what the API answers
  told.reads.push({
    ...asked,
    record,
    of: 'Log',
    where: `the preview of ${request.method} ${request.path} ${JSON.stringify(request.body)}`,
    seen: text,
    fits: foresees(undo, preview),
  });
  return preview;
};

/** What was done as it was foreseen is what was foreseen; others may have come before. */
const holdTo = (
  client: Client,
  mark: string,
  { changes }: Preview,
  done: Awaited<ReturnType<typeof command>>,
): void => {
  const { notes } = client;
  if (done?.answer.status === 412) notes.count('a preview is out of date');
  if (done?.answer.status !== 200) return;
  const { diff = [] } = done.event ?? {};
  if (done.event !== undefined) notes.count('what a preview foresees is done');
  if (!isDeepStrictEqual(diff, changes) && !mayBeErased(client, done.event?.entity))
    notes.breaks(`${mark} has changed ${JSON.stringify(diff)}, and was to change ${JSON.stringify(changes)}`);
};

/** The newest revision that clients know of a record. */
const newestOf = ({ told }: Client, record: string): number =>
  Math.max(0, ...told.commands.map((each) => (each.record === record ? (each.revision ?? 0) : 0)));

/** Undoes something: as it was foreseen, under a condition, with a key or without, and again. */
const undoIt = async (client: Client, asking: Asking): Promise<void> => {
  const { kind, record, request, undo } = asking;
  const { notes, told } = client;
  const drawn = keyFor(client, request, 0.2);
  const preview = isLucky(client, 0.3) ? await previewOf(client, asking, drawn) : undefined;
  const expected = preview?.current ?? (isLucky(client, 0.1) ? newestOf(client, record) : undefined);
  const key = isLucky(client, 0.8) ? drawn : undefined;
  const mark = client.nextMark();
  if (undo.to !== undefined && undo.fields === undefined) told.reverts.set(mark, undo.to);
  const done = await command(client, {
    record,
    request,
    mark,
    ...undo,
    ...(key === undefined ? {} : { key }),
    ...(expected === undefined ? {} : { expected }),
    isShownBy: isDoneBy(undo),
    isAlready: isAlready(undo),
  });
  if (preview !== undefined) holdTo(client, mark, preview, done);
  if (done?.event === undefined) return;
  notes.count(`${nameOf(kind)} is ${undo.to === undefined ? 'restored' : 'reverted'}`);
  if ('file' in done.event.data) notes.count('a file comes back');
  if (key !== undefined && expected === undefined && isLucky(client, 0.3)) repeat(client, request, mark, key, done);
};

const aKind = (client: Client): Kind => (isLucky(client, 0.6) ? 'Business' : 'Document');

/** Restores a record that was deleted; now and then one that nobody has deleted. */
export const restore = async (client: Client): Promise<void> => {
  const kind = aKind(client);
  const { deleted: all } = client.told;
  const deleted = isLucky(client, 0.9) ? all.splice(below(client, all.length), 1)[0] : undefined;
  const found = deleted ?? { kind, record: aRecord(client, kind) };
  if (found.record === undefined) return create(client);
  const request = { method: 'POST', path: `${PATHS[found.kind]}/${found.record}/restore` };
  await undoIt(client, { kind: found.kind, record: found.record, request, undo: {} });
};

/** The fields of which some are reverted. */
const FIELDS: Readonly<Record<Kind, ReadonlyArray<ReadonlyArray<string>>>> = {
  Business: [['name'], ['phone'], ['phone', 'name']],
  Document: [['file'], ['description'], ['file', 'name']],
};

/** Reverts a record, or some of its fields, to a revision: now and then to one that it does not have yet. */
export const revert = async (client: Client): Promise<void> => {
  const kind = aKind(client);
  const record = aRecord(client, kind);
  if (record === undefined) return create(client);
  const revision = below(client, newestOf(client, record) + (isLucky(client, 0.1) ? 4 : 0));
  const fields = isLucky(client, 0.5) ? oneOf(client, FIELDS[kind]) : undefined;
  const some = fields === undefined ? {} : { fields };
  const request = { method: 'POST', path: `${PATHS[kind]}/${record}/revert`, body: { revision, ...some } };
  await undoIt(client, { kind, record, request, undo: { to: revision, ...some } });
};
