import { makeBoundedCache } from '../bounded-cache.js';
import type { NewEvent, StoredEvent } from '../recorded-event.js';
import type { KeyTree } from './key-tree.js';

type Texts = Pick<NewEvent, 'data' | 'metadata'>;

/** Events that this process has encrypted lately, and how they were: its feeds need not open them. */
export type Lately = {
  readonly note: (open: NewEvent, stored: NewEvent) => void;
  readonly open: (events: ReadonlyArray<StoredEvent>) => ReadonlyArray<StoredEvent>;
};

/** Events of one generation, at most, and how long their texts are together. */
const [LATELY, LATELY_BYTES] = [2_000, 4 * 1024 * 1024];

/** Of a process with these keys. */
export const makeLately = (keys: () => KeyTree): Lately => {
  type Known = { readonly open: Texts; readonly stored: Texts };
  const sizeOf = ({ data, metadata }: Texts): number => data.length + metadata.length;
  const forget = () =>
    makeBoundedCache<string, Known>(LATELY, ({ open, stored }) => sizeOf(open) + sizeOf(stored), LATELY_BYTES);
  let [tree, known] = [keys(), forget()];
  /** With the keys of any event goes what is remembered of all. */
  const current = (): typeof known => {
    if (tree !== keys()) [tree, known] = [keys(), forget()];
    return known;
  };
  return {
    note: (open, stored) => current().set(stored.id, { open, stored }),
    open: (events) =>
      events.map((event) => {
        const { open, stored } = current().get(event.id) ?? {};
        if (open === undefined || stored?.data !== event.data || stored.metadata !== event.metadata) return event;
        return { ...event, data: open.data, metadata: open.metadata };
      }),
  };
};
