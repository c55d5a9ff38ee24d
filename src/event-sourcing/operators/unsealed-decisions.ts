import { macStatusOf } from '../event-mac.js';
import { hashIn } from '../hash-chain.js';
import { categoryOf, type StoredEvent } from '../recorded-event.js';
import { DECISIONS } from './decision-events.js';
import { isSealedDecision } from './sealed-decision.js';

/** Decisions remembered until it is known whether they were recorded again. There are few: operators make them one by one. */
const REMEMBERED = 10_000;

/** Finds the decisions that are not in the tree, where anybody who can write into the database can remove them. */
type UnsealedDecisions = {
  /** Of the events of a log, or of one stream, in their order. */
  readonly take: (event: StoredEvent) => void;
  /** Those that were not recorded in the tree again, the oldest first. */
  readonly rest: () => ReadonlyArray<StoredEvent>;
};

export const isUnsealedDecision = (event: StoredEvent): boolean =>
  categoryOf(event.stream) === DECISIONS && !isSealedDecision(event);

/** The event that a decision in the tree records again, and its hash; undefined where it records none. */
export const recordedAgain = ({ data }: StoredEvent): { readonly id: string; readonly hash: string } | undefined => {
  try {
    // reason: its members are tested
    const { original } = JSON.parse(data) as { readonly original?: { readonly id?: unknown; readonly hash?: unknown } };
    const { id, hash } = original ?? {};
    return typeof id === 'string' && typeof hash === 'string' ? { id, hash } : undefined;
  } catch {
    return undefined;
  }
};

export const makeUnsealedDecisions = (): UnsealedDecisions => {
  const unsealed = new Map<string, StoredEvent>();
  return {
    take: (event) => {
      if (categoryOf(event.stream) !== DECISIONS) return;
      if (!isSealedDecision(event)) {
        // what such a one said counts no more, so that nobody is to record it again
        if (event.type === 'EventMacRequired' && macStatusOf([], event) !== 'None') return;
        if (unsealed.size < REMEMBERED) unsealed.set(event.id, event);
        return;
      }
      const { id = '', hash } = recordedAgain(event) ?? {};
      const original = unsealed.get(id);
      if (original !== undefined && hashIn(original) === hash) unsealed.delete(id);
    },
    rest: () => [...unsealed.values()],
  };
};
