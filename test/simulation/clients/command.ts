import type { Command } from '../checks/commands.js';
import { looksAs, type Row } from '../checks/lists.js';
import type { Read } from '../checks/reads.js';
import type { State } from '../checks/states.js';
import { askAny, askOnce, type Asked, type Client, isDown, type Request } from './client.js';

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

export const revisionIn = ({ answer: { headers } }: Asked): number | undefined => {
  const [, revision] = /^"(\d+)"$/.exec(headers.etag ?? '') ?? [];
  return revision === undefined ? undefined : Number(revision);
};

// reason: what the API answers to commands on records, and its errors
export const rowIn = ({ answer: { text } }: Asked): Row => JSON.parse(text) as Row;
// reason: as above
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
    notes.say(`${mark} is revision ${revision} of ${record ?? row._id}${isProjected ? '' : ', not projected'}`);
    return asked;
  }
  note('Refused');
  const read = readOf(given, asked);
  if (read === undefined) notes.breaks(`${mark} was answered ${status} ${text}`);
  else told.reads.push(read);
  return asked;
};
