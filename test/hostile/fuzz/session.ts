import type { Exchanged } from '../../support/conforms.js';
import { faultsOf } from './checks.js';
import type { HttpResponse, Client, Wire } from './client.js';
import type { Context, Draft, Mutation } from './draft.js';
import type { Operation } from './operations.js';
import { makeRandom, seedOf } from './random.js';
import { makeSchedule } from './schedule.js';
import { SessionState } from './session-state.js';
import type { Tokens } from './tokens.js';
import { validDraft } from './valid-draft.js';
import type { ValuesOf } from './values.js';
import { wireOf } from './wire.js';

/**
 * Cases of a session: enough that each operation is tried with each mutation. A session begins with nothing and shares
 * nothing, so that a case is repeated by repeating those before it in its session.
 */
export const SESSION = 2_500;

/** What is the same for all sessions of a run. */
export type Run = {
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
  readonly mutation: string;
  readonly wire: Wire;
  /** Undefined when there was none. */
  readonly answer: HttpResponse | undefined;
  /** Empty when all is well. */
  readonly faults: ReadonlyArray<string>;
};

/** Keeps a request that was carried out under a key, to be repeated. */
const remember = (
  state: SessionState,
  draft: Draft,
  wire: Wire,
  answer: HttpResponse,
  tagBefore: string | undefined,
): void => {
  const [key, ...others] = draft.headers.filter(([name]) => name === 'Idempotency-Key').map(([, value]) => value);
  const hasAppended = answer.headers.etag !== tagBefore;
  if (key === undefined || others.length > 0) return;
  if (answer.status !== 200 || draft.repeats !== undefined || !hasAppended) return;
  const { operation, record, part } = draft;
  state.keyed.push({ operation, key, record, part, wire, text: answer.bytes.toString() });
};

/**
 * Whether Node will not read the head of a request (16 KiB). It then does not know either that it was a HEAD, and sends
 * the error object, which no client reads from an answer to one.
 */
const isTooLong = ({ path, query, rawQuery, headers }: Draft): boolean =>
  encodeURIComponent([path, rawQuery, ...query.flat(), ...headers.flat()].join('')).length > 8_000;

/** The answer to a request, or why there is none. */
const respondWith = async (client: Client, wire: Wire): Promise<HttpResponse | string> => {
  try {
    return await client.send(wire);
  } catch (error) {
    return `no answer: ${error instanceof Error ? error.message : String(error)}`;
  }
};

const draftOf = (operation: Operation, mutation: Mutation, context: Context): Draft => {
  const draft = validDraft(operation, context);
  mutation.apply(draft, context);
  if (draft.method === 'HEAD' && isTooLong(draft)) draft.method = 'GET';
  return draft;
};

/** Runs the cases of one session in order, up to `cases` of them. */
export async function* runSession(run: Run, session: number, cases: number): AsyncGenerator<Case> {
  const { seed, operations, conforms, makeValuesOf, tokens, client } = run;
  const state = new SessionState(operations);
  const valuesOf = makeValuesOf(seedOf(seed, session));
  const next = makeSchedule(seedOf(seed, session, 1), operations);
  for (let step = 0; step < cases; step += 1) {
    const random = makeRandom(seedOf(seed, session, step, 2));
    const who = { tokens, subject: `fuzz-${session}`, unique: `u-${session}-${step}` };
    const context: Context = { operations, state, random, valuesOf, ...who };
    const { operation, mutation } = next(context);
    const draft = draftOf(operation, mutation, context);
    const wire = wireOf(draft, context);
    const asked = { number: session * SESSION + step, operation, mutation: mutation.name, wire };
    const answer = await respondWith(client, wire);
    if (typeof answer === 'string') {
      yield { ...asked, answer: undefined, faults: [answer] };
      continue;
    }
    const faults = faultsOf(conforms, operations, draft, wire, answer);
    const tagBefore = draft.record?.tag;
    if (draft.repeats === undefined) state.learn(draft, wire.path, answer);
    remember(state, draft, wire, answer, tagBefore);
    yield { ...asked, answer, faults };
  }
}
