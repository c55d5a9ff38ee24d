import type { Answer, Client, Wire } from './client.js';
import { faultsOf } from './checks.js';
import type { Context, Draft, Tactic } from './draft.js';
import { isPublic, type Operation } from './operations.js';
import { makeDeck, makeRandom, seedOf } from './random.js';
import { tacticsFor } from './tactics/all.js';
import { asDescribed } from './tactics/as-described.js';
import type { Tokens } from './tokens.js';
import { neededFirst, validDraft } from './valid-draft.js';
import type { ValuesOf } from './values.js';
import { wireOf } from './wire.js';
import { World } from './world.js';
import type { Exchanged } from '../../support/conforms.js';

/**
 * Cases of a session: enough that each tactic is dealt to each operation. A session begins with nothing, so that a case
 * is repeated by those before it in its session alone.
 */
export const SESSION = 2000;

/** What is the same for all sessions of a run. */
export type Subject = {
  readonly seed: number;
  readonly operations: ReadonlyArray<Operation>;
  readonly conforms: (exchanged: Exchanged) => void;
  readonly makeValuesOf: (seed: number) => ValuesOf;
  readonly tokens: Tokens;
  readonly client: Client;
};

/** One request and what came of it. */
export type Case = {
  readonly number: number;
  readonly operation: Operation;
  readonly tactic: string;
  readonly wire: Wire;
  /** Undefined when there was none. */
  readonly answer: Answer | undefined;
  /** Empty when all is well. */
  readonly faults: ReadonlyArray<string>;
};

type Dealt = { readonly operation: Operation; readonly tactic: Tactic };

/** What may go before one that is dealt: a business, an owner of it, a change under a key, and one more if that failed. */
const MOST_BEFORE = 4;

const before = ({ operation, tactic }: Dealt, context: Context): Dealt | undefined => {
  const needed = neededFirst(operation, context);
  if (needed !== undefined) return { operation: needed, tactic: asDescribed };
  const other = tactic.before?.(operation, context);
  return other && { operation, tactic: other };
};

/** Deals what to do next; what an operation needs first goes before it. */
const makeDealer = (seed: number, operations: ReadonlyArray<Operation>): ((context: Context) => Dealt) => {
  const random = makeRandom(seed);
  const nextOperation = makeDeck(
    random,
    operations.flatMap((operation) =>
      isPublic(operation) ? [operation] : [operation, operation, operation, operation],
    ),
  );
  const decks = new Map(operations.map((operation) => [operation, makeDeck(random, tacticsFor(operation))]));
  const deal = (): Dealt => {
    const operation = nextOperation();
    return { operation, tactic: decks.get(operation)?.() ?? asDescribed };
  };
  let waiting: Dealt | undefined;
  let hasWaited = 0;
  return (context) => {
    const dealt = waiting ?? deal();
    const first = hasWaited < MOST_BEFORE ? before(dealt, context) : undefined;
    waiting = first === undefined ? undefined : dealt;
    hasWaited = first === undefined ? 0 : hasWaited + 1;
    return first ?? dealt;
  };
};

/** Keeps a request that was carried out under a key, to be repeated. */
const remember = (world: World, draft: Draft, wire: Wire, answer: Answer, tagBefore: string | undefined): void => {
  const [key, ...others] = draft.headers.filter(([name]) => name === 'Idempotency-Key').map(([, value]) => value);
  const hasAppended = draft.method !== 'PUT' || answer.headers.etag !== tagBefore;
  if (key === undefined || others.length > 0) return;
  if (answer.status !== 200 || draft.repeats !== undefined || !hasAppended) return;
  const { operation, record, part } = draft;
  world.keyed.push({ operation, key, record, part, wire, text: answer.bytes.toString() });
};

/**
 * Whether Node will not read the head of a request (16 KiB). It then does not know either that it was a HEAD, and sends
 * the error object, which no client reads from an answer to one.
 */
const isTooLong = ({ path, query, rawQuery, headers }: Draft): boolean =>
  encodeURIComponent([path, rawQuery, ...query.flat(), ...headers.flat()].join('')).length > 8_000;

const lost = (error: unknown): string => `no answer: ${error instanceof Error ? error.message : String(error)}`;

/** Runs the cases of one session in order, up to `cases` of them. */
export async function* runSession(subject: Subject, session: number, cases: number): AsyncGenerator<Case> {
  const { seed, operations, conforms, makeValuesOf, tokens, client } = subject;
  const world = new World(operations);
  const valuesOf = makeValuesOf(seedOf(seed, session));
  const deal = makeDealer(seedOf(seed, session, 1), operations);
  for (let step = 0; step < cases; step += 1) {
    const random = makeRandom(seedOf(seed, session, step, 2));
    const who = { tokens, subject: `fuzz-${session}`, unique: `u-${session}-${step}` };
    const context: Context = { operations, world, random, valuesOf, ...who };
    const { operation, tactic } = deal(context);
    const draft = validDraft(operation, context);
    tactic.apply(draft, context);
    if (draft.method === 'HEAD' && isTooLong(draft)) draft.method = 'GET';
    const wire = wireOf(draft, context);
    const told = { number: session * SESSION + step, operation, tactic: tactic.name, wire };
    try {
      const answer = await client.send(wire);
      const faults = faultsOf(conforms, operations, draft, wire, answer);
      const tagBefore = draft.record?.tag;
      if (draft.repeats === undefined) world.learn(draft, wire.path, answer);
      remember(world, draft, wire, answer, tagBefore);
      yield { ...told, answer, faults };
    } catch (error) {
      yield { ...told, answer: undefined, faults: [lost(error)] };
    }
  }
}
