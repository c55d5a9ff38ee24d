import type { Command } from '../checks/commands.js';
import { looksAs } from '../checks/lists.js';
import type { Read } from '../checks/reads.js';
import type { State } from '../checks/states.js';
import type { DiffedEvent } from '../checks/undone.js';
import { isLucky } from '../chance.js';
import { askAny, askOnce, type Asked, type Client, isDown, isOfErased, mayBeErased, type Request } from './client.js';
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
  /** The revision that it goes back to. */
  readonly to?: number;
  readonly isShownBy: NonNullable<Command['isShownBy']>;
  /** Whether a record has what it asks for, so that it is answered like one that was written, and is not. */
  readonly isAlready?: (state: State, states: ReadonlyArray<State>) => boolean;
};

type RefusedIn = (state: State, given: Pick<Given, 'user' | 'to'>, states: ReadonlyArray<State>) => boolean;

/** By the code of a refusal: the state of the record that is the reason. */
const REFUSED_IN: Readonly<Record<string, RefusedIn>> = {
  business_not_found: ({ isThere }) => !isThere,
  document_not_found: ({ isThere }) => !isThere,
  owner_not_found: ({ isThere, owners }, { user = '' }) => isThere && owners[user] === undefined,
  owner_exists: ({ isThere, owners }, { user = '' }) => isThere && owners[user] !== undefined,
  revision_not_found: ({ revision }, { to = -1 }, states) => revision < to || states[to + 1]?.isThere === false,
};

// reason: an error of the API
const codeIn = ({ answer: { text } }: Asked): string => (JSON.parse(text) as { readonly code: string }).code;

/** A refusal shows a record, too: that it had a state in which the command is refused. */
export const readOfRefusal = (given: Omit<Given, 'mark' | 'isShownBy'>, asked: Asked): Read | undefined => {
  const { record, request, expected } = given;
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
  return isReason && { ...shown, fits: (state, states) => isReason(state, given, states) };
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

/** The event of a revision, as its history shows it. */
const eventAt = async (client: Client, path: string, revision: number): Promise<DiffedEvent | undefined> => {
  const where = `${path}/events?from=${revision}&limit=1&diff=true`;
  const asked = await askAny(client, { method: 'GET', path: where });
  // reason: what the API answers
  if (asked?.answer.status === 200) return (JSON.parse(asked.answer.text) as ReadonlyArray<DiffedEvent>)[0];
  if (asked !== undefined) client.notes.breaks(`GET ${where} was answered ${asked.answer.status} ${asked.answer.text}`);
  return undefined;
};

/** The answer to a command; `event`: the one that it has left, of one that may leave none. */
type Commanded = Asked & { readonly event?: DiffedEvent };

/**
 * What was not written is never written. But where it was asked for more than once, one without an answer may be decided on
 * later, when nothing stands against it any more; unless it was to change one revision only.
 */
const outcomeOfRefusal = ({ tries, answer: { status } }: Asked): Command['outcome'] =>
  tries > 1 && status !== 412 ? 'Unknown' : 'Refused';

/** Sends a command, and notes what came of it. */
export const command = async (client: Client, given: Given): Promise<Commanded | undefined> => {
  const { told, notes, world } = client;
  const { record, mark, key, expected, isShownBy, isAlready, request } = given;
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
  if (status !== 200 || revision === undefined) {
    note(outcomeOfRefusal(asked));
    if (asked.tries > 1 && isOfErased(asked.answer) && mayBeErased(client, record)) {
      notes.count('a command is repeated whose event is erased');
      return asked;
    }
    const read = readOfRefusal(given, asked);
    if (read === undefined) notes.breaks(`${mark} was answered ${status} ${text}`);
    else told.reads.push(read);
    return asked;
  }
  const row = rowIn(asked);
  const looks = '_id' in row ? looksAs(row) : () => true;
  const changed = record ?? row._id;
  const [path = request.path] = /^\/api\/v1\/[a-z]+\/[^/?]+/.exec(request.path) ?? [];
  const newest = isAlready === undefined ? undefined : await eventAt(client, path, revision);
  if (newest?.type === 'erased') {
    // whether it was its own
    note('Unknown');
    return asked;
  }
  if (isAlready !== undefined && newest?.reason !== mark) {
    note(outcomeOfRefusal(asked));
    notes.count('nothing is to be changed');
    notes.say(`${mark} changes nothing of revision ${revision} of ${changed}`);
    const fits: Read['fits'] = (state, states) => looks(state) && isAlready(state, states);
    told.reads.push({ ...asked, record: changed, of: 'Log', where: mark, seen: `revision ${revision}`, fits });
    return asked;
  }
  note('Done', {
    revision,
    isProjected,
    isShownBy: (state, states) => looks(state) && isShownBy(state, states),
    record: changed,
  });
  if (!isProjected) notes.count('a change is not projected');
  if (!isProjected && told.isCalm()) notes.breaks(`${mark} is not projected, and nothing goes wrong`);
  notes.say(`${mark} is revision ${revision} of ${changed}${isProjected ? '' : ', not projected'}`);
  await readEverywhere(client, changed, request.path, isProjected);
  return { ...asked, ...(newest === undefined ? {} : { event: newest }) };
};
