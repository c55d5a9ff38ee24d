import { SILENCE_MS } from '../../../src/event-sourcing/answer-deadline.js';
import type { Random } from '../../../src/event-sourcing/random.js';
import { isLucky, oneOf } from '../chance.js';
import type { Cluster } from '../cluster.js';
import type { Notebook } from '../notebook.js';
import type { Answer } from '../request.js';
import type { Service } from '../service.js';
import type { World } from '../world.js';
import type { Kind, Told } from './told.js';

/** One client, and what it has. */
export type Client = {
  readonly who: string;
  readonly world: World;
  readonly cluster: Cluster;
  readonly notes: Notebook;
  /** Its own: fewer clients do not change what another one draws. */
  readonly random: Random;
  readonly told: Told;
  /** A text that no other command has. */
  readonly nextMark: () => string;
  /** The keys that it has used, and for what. */
  readonly keys: Array<{ readonly method: string; readonly path: string; readonly key: string }>;
  /** What it does meanwhile, and waits for in the end. */
  readonly meanwhile: Array<Promise<void>>;
};

export type Request = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
};

/** An answer, who gave it, and when. */
export type Asked = {
  readonly answer: Answer;
  readonly process: Service['process'];
  readonly began: number;
  readonly ended: number;
  /** How often it was asked for until then; what became of the others, nobody knows. */
  readonly tries: number;
};

/** How often a request is made until it is answered otherwise than by 503, and the pause between two of them, ms. */
const [TRIES, PAUSE_MS] = [60, 1_500];
/** The longest that an answer may take when the process runs, and the longest that a client waits for one, ms. */
const [DEADLINE_MS, LONGEST_MS] = [3_500, 40_000];
/** How much longer may take what reads or stores a file, ms. */
const FILES_MS = 30_000;

/** A revert of a document looks whether its file is still there. */
const OF_FILE = /\/file(\?|$)|\/document\/[^/]+\/revert/;

const deadlineOf = ({ path, headers }: Request): number => {
  const isOfFile = OF_FILE.test(path) || headers?.['content-type']?.startsWith('multipart/') === true;
  return DEADLINE_MS + (isOfFile ? FILES_MS : 0);
};

/** How much longer may take what reads the history of a record behind its first page, ms: each page is waited for. */
const readingOn = async (cluster: Cluster, path: string): Promise<number> => {
  const [, kind, id] = /\/(business|document)\/([^/?]+)/.exec(path) ?? [];
  if (kind === undefined || id === undefined) return 0;
  return (await cluster.pagesBehindFirst(`${kind}-${id}`)) * SILENCE_MS;
};

/** Draws a record that is known: often one of the newest, at which others are, too. */
export const aRecord = (client: Client, kind: Kind): string | undefined => {
  const all = client.told.records[kind];
  return oneOf(client, isLucky(client, 0.6) ? all.slice(-2) : all);
};

/** The record that a path is of. */
export const recordIn = (path: string): string | undefined => /\/(?:business|document)\/([^/?]+)/.exec(path)?.[1];

/** Whether something of a record may have been erased until now; without one, of any. */
export const mayBeErased = ({ cluster }: Client, record: string | undefined): boolean =>
  cluster.erasures?.touches(record) ?? false;

/** Whether it says that what a key was given for is erased. */
export const isOfErased = ({ status, text }: Answer): boolean =>
  status === 409 && text.includes('"code":"result_erased"');

/** Whether it says that what it is asked for comes soon: a checkpoint is signed a moment after the change. */
const isNotYet = ({ text }: Answer): boolean => text.includes('"not_sealed_yet"');

/** Asks one service, which is drawn unless it is given; undefined when there is no answer. */
export const askOnce = async (
  client: Client,
  request: Request,
  service = oneOf(client, client.cluster.running()),
): Promise<Asked | undefined> => {
  const { world, notes } = client;
  if (service === undefined) return undefined;
  const { method, path, headers, body } = request;
  const { process } = service;
  const began = world.now();
  const isCalm = client.told.isCalm();
  try {
    const tooLong = world.sleep(LONGEST_MS).then(() => undefined);
    const answer = await Promise.race([service.ask(method, path, headers, body), tooLong]);
    const ended = world.now();
    const took = ended - Math.max(began, process.awakeSince());
    if (answer === undefined) {
      if (process.isAlive()) notes.breaks(`${method} ${path} was not answered`);
      return undefined;
    }
    notes.count(`${method} ${answer.status}`);
    const deadline = deadlineOf(request);
    if (took > deadline && took > deadline + (await readingOn(client.cluster, path)))
      notes.breaks(`${method} ${path} was answered ${answer.status} after ${took.toFixed(0)} ms`);
    if (answer.status === 503 && isCalm && !isNotYet(answer))
      notes.breaks(`${method} ${path} was answered ${answer.text}`);
    if (answer.status === 500) notes.breaks(`${method} ${path} was answered ${answer.text}`);
    return { answer, process, began, ended, tries: 1 };
  } catch {
    notes.count(`${method} lost`);
    return undefined;
  }
};

export const isDown = ({ answer: { status } }: Asked): boolean => status === 503;

/** Asks one service after the other until one answers otherwise than by 503; undefined when none does. */
export const askAny = async (client: Client, request: Request): Promise<Asked | undefined> => {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const asked = await askOnce(client, request);
    if (asked !== undefined && !isDown(asked)) return { ...asked, tries: attempt + 1 };
    await client.world.sleep(client.random.fraction() * PAUSE_MS);
  }
  client.notes.breaks(`${request.method} ${request.path} was answered by nobody`);
  return undefined;
};
