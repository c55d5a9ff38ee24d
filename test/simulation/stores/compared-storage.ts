import { isDeepStrictEqual, inspect } from 'node:util';
import type { GenerationState } from '../../../projections/engine/generation/generation.js';
import type { Difference } from '../../../projections/engine/rebuild/difference.js';
import type {
  BatchOfChange,
  Change,
  EntityRows,
  LedgerRows,
  LiveCheckpoint,
  ReadModelStorage,
  RowStorage,
} from '../../../projections/engine/storage.js';
import type { ErasedRows } from '../../../src/infrastructure/postgres/erasure/erased-rows.js';
import { ERASED_ROWS } from '../ports/erasing.js';
import { CALLS } from '../ports/rows.js';

/** Called with what two storages differ in. */
type OnDifference = (line: string) => void;

type Member = (...args: ReadonlyArray<unknown>) => Promise<unknown>;

/** What is of a call that ended in an error: what the engine tells it by. */
const errorOf = (error: unknown): unknown =>
  error instanceof Error ? ('code' in error ? error.code : error.message) : error;

const ended = async <A>(call: () => Promise<A>): Promise<{ readonly given: A } | { readonly thrown: unknown }> => {
  try {
    return { given: await call() };
  } catch (thrown) {
    return { thrown };
  }
};

/** Times that were computed in different ways differ in their last digit. */
const rounded = (value: unknown): unknown => {
  if (typeof value === 'number') return Math.round(value * 1_000) / 1_000;
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, rounded(member)]));
};

const shown = (value: unknown): string =>
  inspect(value, { depth: 6, breakLength: Infinity, compact: true, maxStringLength: 200, sorted: true });

/** Of a call that gives rows in no order, and of what was parked at one moment, any may be the first. */
const COMPARED: Readonly<Record<string, (given: never) => unknown>> = {
  liveCheckpoints: (all: ReadonlyArray<LiveCheckpoint>) =>
    all.toSorted((one, other) => (one.projection < other.projection ? -1 : 1)),
  statuses: (all: ReadonlyArray<object>) => all.map((status) => ({ ...status, lastError: undefined })),
};

const makeSame = (onDifference: OnDifference) => (what: string, one: unknown, other: unknown) => {
  const [first, second] = [rounded(one), rounded(other)];
  if (!isDeepStrictEqual(first, second))
    onDifference(`Postgres and memory differ in ${what}: ${shown(first)} and ${shown(second)}`);
};

/** Has two asked for the same, one after the other, and says where they answer differently; the first one's answer is given. */
const makeCompared = (onDifference: OnDifference) => {
  const same = makeSame(onDifference);

  const both = async <A>(what: string, first: () => Promise<A>, second: () => Promise<A>): Promise<A> => {
    const [answer, compared] = [await ended(first), await ended(second)];
    const ofBoth = [answer, compared].map((end) => {
      if ('thrown' in end) return { thrown: errorOf(end.thrown) };
      // reason: of this call
      const comparable = COMPARED[what] as ((given: unknown) => unknown) | undefined;
      return { given: comparable === undefined ? end.given : comparable(end.given) };
    });
    same(what, ofBoth[0], ofBoth[1]);
    if ('thrown' in answer) throw answer.thrown;
    return answer.given;
  };

  const compared = <Port extends object, Name extends keyof Port & string>(
    first: Port,
    second: Port,
    names: ReadonlyArray<Name>,
  ): Pick<Port, Name> =>
    // reason: each is a function that gives a promise
    Object.fromEntries(
      names.map((name) => [
        name,
        (...args: ReadonlyArray<unknown>) =>
          both(
            name,
            () => (first[name] as Member)(...args),
            () => (second[name] as Member)(...args),
          ),
      ]),
    ) as Pick<Port, Name>;

  return { same, both, compared };
};

/**
 * A storage that asks two for the same, and says where they answer differently; what it answers is of the first one. Of each
 * call both must have ended before the next one begins. What is decided in a call, is decided in the first one alone.
 */
export const comparedStorage = (
  one: ReadModelStorage,
  other: ReadModelStorage,
  onDifference: OnDifference,
): ReadModelStorage => {
  const { same, both, compared } = makeCompared(onDifference);

  const rows: RowStorage = {
    entityRows: (writer): EntityRows => {
      const [first, second] = [one.entityRows(writer), other.entityRows(writer)];
      return {
        ...compared(first, second, CALLS.entityRows),
        prepare: (entities) => {
          const [write, writeOther] = [first.prepare(entities), second.prepare(entities)];
          return (step) =>
            both(
              'write rows',
              () => write(step),
              () => writeOther(step),
            );
        },
      };
    },
    ledgerRows: (writer): LedgerRows => {
      const [first, second] = [one.ledgerRows(writer), other.ledgerRows(writer)];
      return {
        ...compared(first, second, CALLS.ledgerRows),
        prepare: (batch) => {
          const [write, writeOther] = [first.prepare(batch), second.prepare(batch)];
          return (step) =>
            both(
              'write ledger',
              () => write(step),
              () => writeOther(step),
            );
        },
      };
    },
  };

  return {
    ...rows,
    ...compared(one, other, CALLS.plain),
    change: (projection, decide, options) => {
      const decided = makeDecided<ReadonlyArray<GenerationState>, Change | undefined>(same, 'what a change sees');
      return both(
        'change',
        () => one.change(projection, decided.by(decide), options),
        () => other.change(projection, decided.again, options),
      );
    },
    compare: (writer, decide, { keep, onDifference: onFound }) => {
      type Seen = Parameters<typeof decide>;
      const decided = makeDecided<Seen, { readonly write: BatchOfChange | undefined } | undefined>(
        same,
        'what a comparison sees',
      );
      const [first, second]: [Array<Difference>, Array<Difference>] = [[], []];
      const found = both(
        'compare',
        () =>
          one.compare(writer, (...seen) => decided.by((all) => decide(...all))(seen), {
            keep,
            onDifference: (difference) => {
              first.push(difference);
              return onFound(difference);
            },
          }),
        () =>
          other.compare(writer, (...seen) => decided.again(seen), {
            keep,
            onDifference: (difference) => {
              second.push(difference);
              return Promise.resolve();
            },
          }),
      );
      return found.finally(() => same('what a comparison has found', first, second));
    },
    whileWriting: (work) => work(rows),
    listen: one.listen,
    storedRows: (projection, generation) =>
      compared(one.storedRows(projection, generation), other.storedRows(projection, generation), CALLS.storedRows),
    storedLedger: (ledger) => compared(one.storedLedger(ledger), other.storedLedger(ledger), CALLS.storedLedger),
  };
};

/** The same of the rows of what is erased. */
export const comparedErasedRows = (one: ErasedRows, other: ErasedRows, onDifference: OnDifference): ErasedRows =>
  makeCompared(onDifference).compared(one, other, ERASED_ROWS);

/** Decides once, and gives the same again to who has seen the same. */
const makeDecided = <Seen, Decided>(same: ReturnType<typeof makeSame>, what: string) => {
  let first: { readonly seen: Seen } | undefined;
  let decided: () => Decided = () => {
    throw new Error('only one of both has asked what is to be done');
  };
  return {
    by:
      (decide: (seen: Seen) => Decided) =>
      (seen: Seen): Decided => {
        first = { seen };
        try {
          const given = decide(seen);
          decided = () => given;
        } catch (error) {
          decided = () => {
            throw error;
          };
        }
        return decided();
      },
    again: (seen: Seen): Decided => {
      same(what, first?.seen, seen);
      return decided();
    },
  };
};
