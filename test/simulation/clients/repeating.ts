import { isLucky } from '../chance.js';
import { askAny, type Asked, type Client, isOfErased, mayBeErased, recordIn, type Request } from './client.js';
import { rowIn } from './seen.js';

export const newKey = ({ random }: Client): string => `"${random.uuid()}"`;

/** A key belongs to a method and a path, so one that was used for others may be used again: best one of the same path. */
export const keyFor = (client: Client, { method, path }: Request, chance: number): string => {
  const { keys } = client;
  const used = keys.filter((use) => use.method === method && use.path === path).map(({ key }) => key);
  const others = keys.filter(({ key }) => !used.includes(key));
  const other = isLucky(client, chance) ? (others.findLast((use) => use.path === path) ?? others.at(-1)) : undefined;
  if (other !== undefined) client.notes.count('a key is used for another request, too');
  const key = other?.key ?? newKey(client);
  keys.push({ method, path, key });
  return key;
};

/** For how long a command is not repeated at most, ms. */
const REPEATED_MS = 30_000;

const askAgain = async (client: Client, request: Request, mark: string, key: string, first: Asked): Promise<void> => {
  const { notes } = client;
  const headers = { ...request.headers, 'change-reason': mark, 'idempotency-key': key };
  const again = await askAny(client, { ...request, headers });
  if (again === undefined) return;
  notes.count('a command is repeated');
  const { status, text, headers: answered } = again.answer;
  const isErased = mayBeErased(client, recordIn(request.path) ?? rowIn(first)._id);
  // what it goes back to may be gone, too
  if (isErased && (isOfErased(again.answer) || (status === 404 && text.includes('"code":"revision_not_found"')))) {
    notes.count('a command is repeated whose event is erased');
    return;
  }
  if (isErased && status === 200) {
    if (answered['idempotent-replayed'] !== 'true') notes.breaks(`${mark} was carried out when it was repeated`);
    return;
  }
  if (status !== 200 || text !== first.answer.text || answered.etag !== first.answer.headers.etag)
    notes.breaks(`${mark} was answered ${first.answer.text}, and ${status} ${text} when it was repeated`);
  if (answered['idempotent-replayed'] !== 'true') notes.breaks(`${mark} was carried out when it was repeated`);
};

/** Asks again with the same key, at once or later: the answer is as it was. */
export const repeat = (client: Client, request: Request, mark: string, key: string, first: Asked): void => {
  const isAtOnce = client.told.isCalm() || isLucky(client, 0.4);
  const pause = client.world.sleep(isAtOnce ? 0 : client.random.fraction() * REPEATED_MS);
  if (first.answer.status === 200) client.meanwhile.push(pause.then(() => askAgain(client, request, mark, key, first)));
};
