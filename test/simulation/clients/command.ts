import type { Command } from '../checks/commands.js';
import { looksAs } from '../checks/lists.js';
import type { Read } from '../checks/reads.js';
import type { State } from '../checks/states.js';
import { isLucky } from '../chance.js';
import { askAny, askOnce, type Asked, type Client, isDown, type Request } from './client.js';
import { revisionIn, rowIn, seenOf } from './seen.js';

type Given = {
  /** What it is about; undefined to create one. */
  readonly record: string | undefined;
  readonly request: Request;
  /** Its reason. */
  readonly mark: string;
  /** The owner that it is about. */
  readonly user?: string;
  /** Without one it is asked once, and nobody knows what became of it where no answer comes. */
  readonly key?: string;
  /** The only revision that it is to change. */
  readonly expected?: number;
  readonly isShownBy: (state: State) => boolean;
};

/** By the code of a refusal: the state of the record that is the reason. */
const REFUSED_IN: Readonly<Record<string, (state: State, user: string) => boolean>> = {
  business_not_found: ({ isThere }) => !isThere,
  document_not_found: ({ isThere }) => !isThere,
  owner_not_found: ({ isThere, owners }, user) => isThere && owners[user] === undefined,
  owner_exists: ({ isThere, owners }, user) => isThere && owners[user] !== undefined,
};

// reason: an error of the API
const codeIn = ({ answer: { text } }: Asked): string => (JSON.parse(text) as { readonly code: string }).code;

/** A refusal shows a record, too: that it had a state in which the command is refused. */
const readOf = (given: Given, asked: Asked): Read | undefined => {
  const { record, request, expected, user = '' } = given;
  const { process, began, ended, answer } = asked;
  if (record === undefined) return undefined;
  const code = codeIn(asked);
  const shown = {
    record,
    process,
    began,
    ended,
    of: 'Log',
    where: `${request.method} ${request.path}`,
    seen: code,
  } as const;
  if (answer.status === 412) {
    const revision = revisionIn(asked);
    const fits = (state: State): boolean =>
      state.revision !== expected && (revision === undefined ? !state.isThere : state.revision === revision);
    return { ...shown, seen: `revision ${revision}`, fits };
  }
  const isReason = REFUSED_IN[code];
  return isReason && { ...shown, fits: (state) => isReason(state, user) };
};

/** Now and then each service is asked for what a command has changed: always where lists may not show it. */
const readEverywhere = async (client: Client, record: string, changed: string, isProjected: boolean): Promise<void> => {
  if (isProjected && !isLucky(client, 0.2)) return;
  const [path = ''] = /^\/api\/v1\/[a-z]+/.exec(changed) ?? [];
  const each = client.cluster
    .running()
    .map((service) => askOnce(client, { method: 'GET', path: `${path}/${record}` }, service));
  for (const asked of await Promise.all(each))
    if (asked !== undefined && !isDown(asked))
      client.told.reads.push({ ...asked, record, of: 'Record', where: `GET ${path}/${record}`, ...seenOf(asked) });
};

/** Sends a command, and notes what came of it. */
export const command = async (client: Client, given: Given): Promise<Asked | undefined> => {
  const { told, notes, world } = client;
  const { record, mark, key, expected, isShownBy, request } = given;
  const headers = {
    ...request.headers,
    'change-reason': mark,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(expected === undefined ? {} : { 'if-match': `"${expected}"` }),
  };
  const began = world.now();
  const whole = { ...request, headers };
  const asked = key === undefined ? await askOnce(client, whole) : await askAny(client, whole);
  const noted = { mark, record, began, ended: world.now(), ...(expected === undefined ? {} : { expected }), isShownBy };
  const note = (outcome: Command['outcome'], more: Partial<Command> = {}): void =>
    void told.commands.push({ ...noted, outcome, ...more });
  if (asked === undefined || isDown(asked)) {
    note('Unknown');
    return undefined;
  }
  const { status, isProjected, text } = asked.answer;
  const revision = revisionIn(asked);
  if (status === 200 && revision !== undefined) {
    const row = rowIn(asked);
    const looks = '_id' in row ? looksAs(row) : () => true;
    const isLeft = (state: State): boolean => isShownBy(state) && looks(state);
    note('Done', { revision, isProjected, isShownBy: isLeft, record: record ?? row._id });
    if (!isProjected) notes.count('a change is not projected');
    if (!isProjected && told.isCalm()) notes.breaks(`${mark} is not projected, and nothing goes wrong`);
    notes.say(`${mark} is revision ${revision} of ${record ?? row._id}${isProjected ? '' : ', not projected'}`);
    await readEverywhere(client, record ?? row._id, request.path, isProjected);
    return asked;
  }
  note('Refused');
  const read = readOf(given, asked);
  if (read === undefined) notes.breaks(`${mark} was answered ${status} ${text}`);
  else told.reads.push(read);
  return asked;
};
