import { differingFields, type TextRow } from '../rows/differing-fields.js';

/** A row that live and rebuilt rows do not have in the same form; `id` names it. */
export type Difference =
  | { readonly _tag: 'OnlyLive'; readonly id: string; readonly live: TextRow }
  | { readonly _tag: 'OnlyRebuilt'; readonly id: string; readonly rebuilt: TextRow }
  | {
      readonly _tag: 'Differs';
      readonly id: string;
      readonly live: TextRow;
      readonly rebuilt: TextRow;
      /** Columns; of the column `body` the fields of its JSON object: `body.name`. */
      readonly fields: ReadonlyArray<string>;
    };

export type ComparedRows = {
  readonly rows: { readonly live: number; readonly rebuilt: number };
  readonly onlyLive: number;
  readonly onlyRebuilt: number;
  readonly differing: number;
  /** The first differences, by id. */
  readonly first: ReadonlyArray<Difference>;
};

export type Differences = {
  /** How many differences the result has, for showing them. */
  readonly keep: number;
  readonly onDifference: (difference: Difference) => Promise<void>;
};

/** The difference between two rows, null where there is none, that a storage has found to differ. */
export const differenceOf = (id: string, live: TextRow | null, rebuilt: TextRow | null): Difference | undefined => {
  if (live !== null && rebuilt !== null)
    return { _tag: 'Differs', id, live, rebuilt, fields: differingFields(live, rebuilt) };
  if (live !== null) return { _tag: 'OnlyLive', id, live };
  return rebuilt === null ? undefined : { _tag: 'OnlyRebuilt', id, rebuilt };
};
