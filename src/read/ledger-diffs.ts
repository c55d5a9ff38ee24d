import { either as E } from 'fp-ts';
import { type Direction, StoreUnavailable } from '../event-sourcing/event-store.js';
import type { Revision } from '../event-sourcing/recorded-event.js';
import type { AdmitPage } from './admit-page.js';
import { DECISION } from './describe-decision.js';
import type { Change, Span } from './diffed-events.js';
import type { History } from './history.js';
import type { LedgerEntry } from './ledger.js';

/** The histories of the kinds of entities, by their names. Rejects with `StoreUnavailable`. */
export type FindChanges = (entityType: string) => Promise<Pick<History<never>, 'newestRevision' | 'changes'>>;

/** Leaves entries as they are. */
export const noDiffs: LedgerDiffs = { add: (entries) => Promise.resolve(entries), close: () => Promise.resolve() };

/** Which record's entries are given, and how. */
type Asked = { readonly entity: string; readonly direction: Direction; readonly admitPage: AdmitPage };

/** How entries are answered. */
export type LedgerDiffs = {
  /**
   * The entries, each with what it changed as its last member. They follow those that were given before.
   * Throws what keeps the history of the record from being read.
   */
  readonly add: (entries: ReadonlyArray<LedgerEntry>) => Promise<ReadonlyArray<LedgerEntry>>;
  /** Ends the reading of the history. */
  readonly close: () => Promise<void>;
};

type Shown = { readonly entityType: string; readonly revision: Revision };

const shownOf = ({ body }: LedgerEntry): Shown => {
  // reason: the ledger holds what the history shows of events
  const { entityType, revision } = JSON.parse(body) as { readonly entityType: string; readonly revision: number };
  return { entityType, revision: BigInt(revision) };
};

/** What a decision of operators changes of a record. */
const NOTHING = '[]';

const lost = (): StoreUnavailable => new StoreUnavailable('the log lacks an event that the ledger shows');

/**
 * Puts to entries of one record what each of them changed. The history is read beside them, in their order and once: it costs the same
 * whatever the size of the pages is.
 */
export const makeLedgerDiffs = (find: FindChanges, { entity, direction, admitPage }: Asked): LedgerDiffs => {
  const open = new Map<string, AsyncGenerator<Change>>();
  const isForwards = direction === 'forwards';

  /** The end of a reading that goes on behind the entries that are known. */
  const endOf = async (kind: Awaited<ReturnType<FindChanges>>): Promise<Revision> => {
    if (!isForwards) return 0n;
    const newest = await kind.newestRevision(entity);
    if (E.isLeft(newest)) throw newest.left._tag === 'NeverExisted' ? lost() : newest.left;
    return newest.right;
  };

  const read = async ({ entityType, revision }: Shown): Promise<AsyncGenerator<Change>> => {
    const kind = await find(entityType);
    const other = await endOf(kind);
    const span: Span = isForwards ? { first: revision, last: other } : { first: other, last: revision };
    const changes = kind.changes(entity, span, direction, admitPage);
    open.set(entityType, changes);
    return changes;
  };

  /** What the event changed; undefined where the reading has ended before it. */
  const changeIn = async (changes: AsyncGenerator<Change>, { revision }: Shown): Promise<string | undefined> => {
    for (;;) {
      const next = await changes.next();
      if (next.done === true) return undefined;
      if (next.value.revision === revision) return next.value.diff;
      if (isForwards ? next.value.revision > revision : next.value.revision < revision) throw lost();
    }
  };

  const diffOf = async (shown: Shown): Promise<string> => {
    if (shown.entityType === DECISION) return NOTHING;
    const known = open.get(shown.entityType);
    // what was appended after the reading began is read anew
    const diff = (known && (await changeIn(known, shown))) ?? (await changeIn(await read(shown), shown));
    if (diff === undefined) throw lost();
    return diff;
  };

  return {
    add: async (entries) => {
      const diffed: Array<LedgerEntry> = [];
      for (const entry of entries) {
        const diff = await diffOf(shownOf(entry));
        diffed.push({ index: entry.index, body: `${entry.body.slice(0, -1)},"diff":${diff}}` });
      }
      return diffed;
    },
    close: async () => {
      for (const changes of open.values()) await changes.return(undefined);
    },
  };
};
